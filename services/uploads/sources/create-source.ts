/** Adds the row of a source, with its bucket and its mount folder. */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { BucketRecord } from "../import/records/record.ts";
import { runImport } from "../import/run-import.ts";
import { isInSubtree } from "../model/tree-key.ts";
import { query } from "../postgres/named-parameters.ts";
import type { Location } from "./source.ts";

interface NewSource {
  readonly bucketId: string;
  /** Undefined if the bucket exists and does not change. */
  readonly bucket: BucketRecord | undefined;
  readonly name: string;
  readonly location: Location;
  /** In normal form. */
  readonly mountPath: string;
  readonly everyMs: number | undefined;
}

/**
 * If the source exists with the same place and the same folder, this changes its schedule and how
 * it is listed.
 *
 * @throws Error if the name is taken, or the mount folder overlaps with that of another source.
 */
export async function createSource(client: pg.ClientBase, source: NewSource): Promise<void> {
  const { bucketId, bucket, mountPath } = source;
  const records = (async function* () {
    if (bucket !== undefined) yield [bucket];
    yield [{ kind: "folder path", bucketId, path: mountPath } as const];
  })();
  // The bucket, its mount folder and the source, in one transaction, with the bucket locked.
  await runImport(client, records, {
    uploadColumns: "of objects",
    mayChangeBuckets: false,
    beforeCommit: async () => ownMountFolder(client, source, await insertSource(client, source)),
  });
}

/** Returns the ID of the source: a new one, or that of the source which this changes. */
async function insertSource(client: pg.ClientBase, source: NewSource): Promise<string> {
  const { name, location, everyMs } = source;
  await rejectOverlap(client, source);
  // For a directory, its path; for a store, the bucket and the prefix.
  const place = "'{directory,bucket,prefix}'::text[]";
  const { rows } = await query<{ sourceId: string }>(
    client,
    `insert into uploads.sources as known
       (bucket_id, source_id, name, kind, location, mount_path, every, next_run_at)
     values (:bucketId, :sourceId, :name, :kind, :location, :mountPath, :everyMs * interval '1 ms',
       case when :everyMs::float8 is not null then now() end)
     on conflict (name) do update
     set location = excluded.location, every = excluded.every, next_run_at = excluded.next_run_at,
       hint_failure = '',
       old_at = known.last_complete_at + 3 * excluded.every + interval '1 minute'
     where known.bucket_id = excluded.bucket_id and known.mount_path = excluded.mount_path
       and (select jsonb_object_agg(key, value) from jsonb_each(known.location)
            where key = any (${place}))
         = (select jsonb_object_agg(key, value) from jsonb_each(excluded.location)
            where key = any (${place}))
     returning source_id as "sourceId"`,
    { ...source, sourceId: randomUUID(), kind: location.kind, everyMs: everyMs ?? null },
  );
  if (rows[0] !== undefined) return rows[0].sourceId;
  throw new Error(`Cannot add ${name}: there is a source with that name; need another name`);
}

// No other source can have the folder: mount folders do not overlap.
async function ownMountFolder(
  client: pg.ClientBase,
  { bucketId, mountPath }: NewSource,
  sourceId: string,
): Promise<void> {
  await query(
    client,
    `update uploads.folders set source_id = :sourceId
     where bucket_number = (
         select bucket_number from uploads.buckets where bucket_id = :bucketId)
       and tree_key = uploads.tree_key(:mountPath) and source_id is distinct from :sourceId`,
    { bucketId, mountPath, sourceId },
  );
}

async function rejectOverlap(
  client: pg.ClientBase,
  { bucketId, name, mountPath }: NewSource,
): Promise<void> {
  const { rows } = await query<{ name: string; path: string }>(
    client,
    `select name, mount_path as path from uploads.sources
     where bucket_id = :bucketId and (${isInSubtree("mount_key", "uploads.tree_key(:mountPath)")}
       or ${isInSubtree("uploads.tree_key(:mountPath)", "mount_key")})`,
    { bucketId, mountPath },
  );
  const [other] = rows;
  if (other === undefined || other.name === name) return;
  throw new Error(
    `Cannot add ${name} at ${mountPath}: the source ${other.name} mirrors ${other.path} of the ` +
      "same bucket; need a --mount that neither contains that folder nor is in it",
  );
}
