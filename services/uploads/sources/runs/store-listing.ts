/** The listing of a run: a table of its own, filled page by page, with a checkpoint per range. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { bytesOfKey, externalPathOf, type Key, keyOfBytes } from "../keys.ts";
import type { LeftOut, ListingRange } from "../lister.ts";
import { listingColumns, type PreparedPages } from "./listing-rows.ts";
import { type Run, requireHolder, tablesOf, updateRun } from "./run.ts";

/** A range that is not listed yet: it continues after its last stored key. */
export interface OpenRange extends ListingRange {
  readonly number: number;
}

/** Creates the table of the listing and its ranges. */
export async function createListing(
  client: pg.ClientBase,
  run: Run,
  ranges: readonly ListingRange[],
): Promise<void> {
  const bytes = (key: Key | undefined) => (key === undefined ? null : bytesOfKey(key));
  await inTransaction(client, async () => {
    await client.query(`create table ${tablesOf(run).listing} ${listingColumns}`);
    await client.query(
      `insert into uploads.source_run_ranges
         (bucket_id, source_id, run_id, number, after_key, until_key)
       select $1, $2, $3, number, after_key, until_key
       from unnest($4::bytea[], $5::bytea[]) with ordinality as r (after_key, until_key, number)`,
      [
        run.bucketId,
        run.sourceId,
        run.runId,
        ranges.map(({ after }) => bytes(after)),
        ranges.map(({ until }) => bytes(until)),
      ],
    );
    await requireHolder(client, run);
  });
}

/** Undefined if the run has no listing yet. */
export async function readOpenRanges(
  client: pg.ClientBase,
  { bucketId, sourceId, runId }: Run,
): Promise<OpenRange[] | undefined> {
  const { rows } = await client.query<{
    number: number;
    after: Buffer | null;
    until: Buffer | null;
    isListed: boolean;
  }>(
    `select number, coalesce(listed_until, after_key) as after, until_key as until,
       is_listed as "isListed"
     from uploads.source_run_ranges
     where bucket_id = $1 and source_id = $2 and run_id = $3 order by number`,
    [bucketId, sourceId, runId],
  );
  if (rows.length === 0) return undefined;
  const key = (bytes: Buffer | null) => (bytes === null ? undefined : keyOfBytes(bytes));
  return rows
    .filter(({ isListed }) => !isListed)
    .map(({ number, after, until }) => ({ number, after: key(after), until: key(until) }));
}

/** Stores pages, and the checkpoints after them. */
export async function storePages(
  client: pg.ClientBase,
  run: Run,
  { rows, objects, sizeBytes, leftOut, checkpoints }: PreparedPages,
): Promise<void> {
  const reached = [...checkpoints.values()];
  await inTransaction(client, async () => {
    await rows.send(true);
    await client.query(
      `update uploads.source_run_ranges r set is_listed = c.is_listed,
         listed_until = coalesce(c.listed_until, r.listed_until)
       from unnest($4::integer[], $5::bytea[], $6::boolean[])
         as c (number, listed_until, is_listed)
       where bucket_id = $1 and source_id = $2 and run_id = $3 and r.number = c.number`,
      [
        run.bucketId,
        run.sourceId,
        run.runId,
        [...checkpoints.keys()],
        reached.map(({ lastKey }) => (lastKey === undefined ? null : bytesOfKey(lastKey))),
        reached.map(({ isListed }) => isListed),
      ],
    );
    await updateRun(client, run, addPages, [
      objects,
      sizeBytes,
      leftOut.length,
      JSON.stringify(leftOut.slice(0, examplesMax).map(exampleOf)),
    ]);
  });
}

const examplesMax = 20;

const addPages = `objects = objects + $5, size_bytes = size_bytes + $6, left_out = left_out + $7,
  left_out_examples = case when jsonb_array_length(left_out_examples) < ${examplesMax}
    then left_out_examples || $8::jsonb else left_out_examples end`;

function exampleOf({ key, reason }: LeftOut) {
  return { key: externalPathOf(key), reason };
}
