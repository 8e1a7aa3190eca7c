/**
 * Measures drift: reads a few pages of a store again at random places, and asks for some of the
 * objects there. What differs from the index and did not change meanwhile was wrong in a listing.
 * File systems are not looked at again: every listing of theirs is an answer of the same kernel.
 */
import type pg from "pg";
import type { ObjectRecord } from "../../import/records/record.ts";
import { formatThings } from "../../model/format.ts";
import { query } from "../../postgres/named-parameters.ts";
import { markGhosts, readGhosts } from "../ghosts.ts";
import { externalPathOf, type Key, KeyError, keyOfPath } from "../keys.ts";
import type { ListedObject } from "../lister.ts";
import { type BucketMount, mapObject, ValueError } from "../map-object.ts";
import type { OpenedSource } from "../open-source.ts";
import { StoreError } from "../s3/store-error.ts";
import { locationText, type Source } from "../source.ts";
import type { Stop } from "./guard.ts";
import type { Run } from "./run.ts";

export interface Drift {
  /** Objects that were read again. */
  readonly looked: number;
  /** Of these, the index lacked so many. */
  readonly gaps: number;
  /** So many had another size, time or ETag. */
  readonly wrong: number;
  /** So many are listed, but do not exist when they are asked for. */
  readonly ghosts: number;
  /** The key of one that differed. */
  readonly example: string | undefined;
}

const pagesMax = 3;
const pageKeys = 1000;
const askedMax = 20;
/** The clock of a store may be behind: what changed in this time before the run is not judged. */
const clockDifferenceMaxMs = 15 * 60_000;

interface LookOptions {
  readonly opened: OpenedSource;
  readonly signal: AbortSignal;
}

export async function lookAgain(
  client: pg.ClientBase,
  run: Run,
  source: Source,
  { opened, signal }: LookOptions,
): Promise<Drift> {
  const counts = { looked: 0, gaps: 0, wrong: 0, ghosts: 0 };
  let example: Key | undefined;
  const changedBefore = BigInt(run.startedAt.getTime() - clockDifferenceMaxMs) * 1000n;
  const read: Key[] = [];
  const ghosts = await readGhosts(client, source);
  for (const after of await randomPlaces(client, run, source, opened)) {
    const objects = await readPageAfter(after, { opened, signal });
    const old = objects
      .filter(({ updatedAtMicros }) => (updatedAtMicros ?? 0n) < changedBefore)
      .flatMap((object) => readObject(object, { ...opened.mount, bucketId: source.bucketId }))
      .filter(({ object }) => !ghosts.has(object.uploadId));
    read.push(...old.map(({ key }) => key));
    counts.looked += old.length;
    for (const { key, kind } of await compareWithIndex(client, source, old)) {
      counts[kind] += 1;
      example ??= key;
    }
  }
  const asked = sample(read, askedMax);
  const presences = await opened.lister.find(asked, signal);
  const missing = asked.filter((_, index) => presences[index] === "absent");
  counts.ghosts = missing.length;
  example ??= missing[0];
  await markGhosts(client, source, missing, opened);
  return { ...counts, example: example === undefined ? undefined : externalPathOf(example) };
}

/** Undefined: the beginning. */
async function randomPlaces(
  client: pg.ClientBase,
  { counts: { objects } }: Run,
  { bucketNumber }: Source,
  { mount }: OpenedSource,
): Promise<readonly (Key | undefined)[]> {
  if (objects <= pageKeys) return [undefined];
  const { rows } = await query<{ path: string; filename: string }>(client, randomRows, {
    bucketNumber,
    places: Math.min(pagesMax, Math.ceil(objects / pageKeys)),
  });
  return rows.map((row) => keyOfPath(row, mount));
}

const randomRows = `
  select u.path, u.filename from (
    select upload_id from seen_uploads order by random() limit :places) s
  join uploads.uploads u on u.bucket_number = :bucketNumber and u.upload_id = s.upload_id`;

async function readPageAfter(
  after: Key | undefined,
  { opened, signal }: LookOptions,
): Promise<readonly ListedObject[]> {
  const range = { after, until: undefined };
  try {
    for await (const { objects } of opened.lister.list(range, signal, { isWithoutTags: true })) {
      return objects;
    }
  } catch (error) {
    // Everything is listed already, and some stores do not start a listing at every key.
    if (!(error instanceof StoreError)) throw error;
  }
  return [];
}

interface Difference {
  readonly key: Key;
  readonly kind: "gaps" | "wrong";
}

async function compareWithIndex(
  client: pg.ClientBase,
  { bucketNumber }: Source,
  objects: readonly ReadObject[],
): Promise<readonly Difference[]> {
  const { rows } = await query<IndexedObject>(client, indexedObjects, {
    bucketNumber,
    uploadIds: objects.map(({ object }) => object.uploadId),
  });
  const known = new Map(rows.map((row) => [row.uploadId, row]));
  return objects.flatMap(({ key, object }): Difference[] => {
    const row = known.get(object.uploadId);
    if (row === undefined) return [{ key, kind: "gaps" }];
    const isSame =
      row.sizeBytes === String(object.sizeBytes) &&
      row.updatedAtMicros === String(object.updatedAtMicros);
    return isSame ? [] : [{ key, kind: "wrong" }];
  });
}

interface ReadObject {
  readonly key: Key;
  readonly object: ObjectRecord["object"];
}

/** Nothing if it is a folder, or cannot be in the index. */
function readObject(listed: ListedObject, mount: BucketMount): ReadObject[] {
  try {
    const record = mapObject(listed, mount, 0);
    return record.kind === "object" ? [{ key: listed.key, object: record.object }] : [];
  } catch (error) {
    if (error instanceof KeyError || error instanceof ValueError) return [];
    throw error;
  }
}

interface IndexedObject {
  readonly uploadId: string;
  readonly sizeBytes: string;
  readonly updatedAtMicros: string;
}

const indexedObjects = `
  select upload_id as "uploadId", size_bytes::text as "sizeBytes",
    (extract(epoch from updated_at) * 1000000)::bigint::text as "updatedAtMicros"
  from uploads.uploads
  where bucket_number = :bucketNumber and upload_id = any (:uploadIds::text[])`;

function sample<Item>(items: readonly Item[], count: number): Item[] {
  const left = [...items];
  return Array.from({ length: Math.min(count, left.length) }, () => {
    const [item] = left.splice(Math.floor(Math.random() * left.length), 1);
    return item as Item;
  });
}

/** Why a run that found drift is not complete. */
export function driftStop(
  { gaps, wrong, ghosts, example }: Drift,
  { location }: Source,
): Stop | undefined {
  const found = [
    gaps > 0 && `${formatThings(gaps, "file")} that the listing had left out`,
    wrong > 0 && `${formatThings(wrong, "file")} that it had with another size or time`,
    ghosts > 0 && `${formatThings(ghosts, "file")} that it has and that do not exist`,
  ].filter((text) => text !== false);
  if (found.length === 0) return undefined;
  const parts = `reading parts of ${locationText(location)} again`;
  return {
    reason: `${parts} showed ${found.join(" and ")}, such as ${example}`,
    advice: "The next run lists everything again; a store that goes on so is faulty",
  };
}

/** Of the last days. */
export interface LookedAgain {
  readonly looked: number;
  readonly differed: number;
}

const keptDays = 30;

/** Adds what was found to the numbers of today. */
export async function keepDrift(
  client: pg.ClientBase,
  { bucketId, sourceId }: Source,
  { looked, gaps, wrong, ghosts }: Drift,
): Promise<void> {
  const differed = gaps + wrong + ghosts;
  await query(client, addToday, { bucketId, sourceId, looked, differed, keptDays });
}

const today = "to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD')";
const valueOfToday = (place: number) => `coalesce((s.drift -> ${today} ->> ${place})::bigint, 0)`;

const addToday = `
  update uploads.sources s set drift = coalesce((
      select jsonb_object_agg(day, value) from jsonb_each(s.drift) d (day, value)
      where day::date > clock_timestamp() - :keptDays * interval '1 day'), '{}')
    || jsonb_build_object(${today}, jsonb_build_array(
      ${valueOfToday(0)} + :looked, ${valueOfToday(1)} + :differed))
  where bucket_id = :bucketId and source_id = :sourceId`;
