import type pg from "pg";
import { query } from "../../postgres/named-parameters.ts";
import type { MountPoints } from "../directory/mount-points.ts";
import type { Source } from "../source.ts";

/**
 * Keeps evenly spaced keys of the source: they divide the next listing into ranges. Each range
 * fills whole pages of a store, less a few keys that may be added until then: keys on the last page
 * of a range that are beyond the range are read twice.
 */
export async function keepKeys(
  client: pg.ClientBase,
  source: Source,
  objects: number,
): Promise<void> {
  const pages = Math.max(rangePagesMin, Math.ceil(objects / rangesMax / pageKeys));
  const rangeKeys = pages * pageKeys - addedKeys;
  const keys = Math.floor(objects / rangeKeys);
  const shares = Array.from({ length: keys }, (_, index) => ((index + 1) * rangeKeys) / objects);
  await query(
    client,
    `update uploads.sources set known_keys = coalesce((
       select percentile_disc(:shares::double precision[])
         within group (order by external_path collate "C")
       from uploads.uploads where bucket_number = :bucketNumber and source_id = :sourceId), '{}')
     where bucket_id = :bucketId and source_id = :sourceId`,
    { ...source, shares },
  );
}

const rangesMax = 64;
const rangePagesMin = 3;
const pageKeys = 1000;
const addedKeys = 100;

/** Keeps the mount points of a directory: see `findMountPoints`. */
export async function keepMounts(
  client: pg.ClientBase,
  { bucketId, sourceId }: Source,
  mounts: MountPoints | undefined,
): Promise<void> {
  if (mounts === undefined) return;
  await query(
    client,
    `update uploads.sources set known_mounts = :mounts
     where bucket_id = :bucketId and source_id = :sourceId`,
    { bucketId, sourceId, mounts: mounts.found },
  );
}
