/** The listing of a run: a table of its own, filled page by page, with a checkpoint per range. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { query } from "../../postgres/named-parameters.ts";
import { bytesOfKey, externalPathOf, type Key, keyOfBytes } from "../keys.ts";
import type { LeftOut, ListingRange } from "../lister.ts";
import { listingColumns, type NumberedRange, type PreparedPages } from "./listing-rows.ts";
import { type Run, requireHolder, tablesOf, updateRun } from "./run.ts";

/** A range as far as it is left: it continues after its last stored key. */
export interface StoredRange extends NumberedRange {
  readonly isListed: boolean;
}

/** Creates the table of the listing and its ranges. */
export async function createListing(
  client: pg.ClientBase,
  run: Run,
  ranges: readonly ListingRange[],
): Promise<void> {
  await inTransaction(client, async () => {
    await client.query(`create table ${tablesOf(run).listing} ${listingColumns}`);
    const numbered = ranges.map((range, index) => ({ ...range, number: index + 1 }));
    await addRanges(client, run, numbered);
    await requireHolder(client, run);
  });
}

async function addRanges(
  client: pg.ClientBase,
  run: Run,
  ranges: readonly NumberedRange[],
): Promise<void> {
  await query(
    client,
    `insert into uploads.source_run_ranges
       (bucket_id, source_id, run_id, number, after_key, until_key)
     select :bucketId, :sourceId, :runId, number, after_key, until_key
     from unnest(:numbers::integer[], :after::bytea[], :until::bytea[])
       as r (number, after_key, until_key)`,
    {
      ...run,
      numbers: ranges.map(({ number }) => number),
      after: ranges.map(({ after }) => bytes(after)),
      until: ranges.map(({ until }) => bytes(until)),
    },
  );
}

/** None if the run has no listing yet. */
export async function readRanges(client: pg.ClientBase, run: Run): Promise<StoredRange[]> {
  const { rows } = await query<{
    number: number;
    after: Buffer | null;
    until: Buffer | null;
    isListed: boolean;
  }>(
    client,
    `select number, coalesce(listed_until, after_key) as after, until_key as until,
       is_listed as "isListed"
     from uploads.source_run_ranges
     where bucket_id = :bucketId and source_id = :sourceId and run_id = :runId order by number`,
    { ...run },
  );
  const key = (bytes: Buffer | null) => (bytes === null ? undefined : keyOfBytes(bytes));
  return rows.map((row) => ({ ...row, after: key(row.after), until: key(row.until) }));
}

/** Stores pages, and the checkpoints after them. */
export async function storePages(
  client: pg.ClientBase,
  run: Run,
  { rows, objects, sizeBytes, leftOut, laterRanges, checkpoints }: PreparedPages,
): Promise<void> {
  const reached = [...checkpoints.values()];
  await inTransaction(client, async () => {
    await rows.send(true);
    if (laterRanges.length > 0) await addRanges(client, run, laterRanges);
    await query(
      client,
      `update uploads.source_run_ranges r set is_listed = c.is_listed,
         listed_until = coalesce(c.listed_until, r.listed_until),
         until_key = coalesce(c.until_key, r.until_key)
       from unnest(:numbers::integer[], :lastKeys::bytea[], :until::bytea[], :areListed::boolean[])
         as c (number, listed_until, until_key, is_listed)
       where bucket_id = :bucketId and source_id = :sourceId and run_id = :runId
         and r.number = c.number`,
      {
        ...run,
        numbers: [...checkpoints.keys()],
        lastKeys: reached.map(({ lastKey }) => bytes(lastKey)),
        until: reached.map(({ until }) => bytes(until)),
        areListed: reached.map(({ isListed }) => isListed),
      },
    );
    await updateRun(client, run, addPages, {
      objects,
      sizeBytes,
      leftOut: leftOut.length,
      examples: JSON.stringify(leftOut.slice(0, examplesMax).map(exampleOf)),
    });
  });
}

const examplesMax = 20;

const addPages = `objects = objects + :objects, size_bytes = size_bytes + :sizeBytes,
  left_out = left_out + :leftOut,
  left_out_examples = case when jsonb_array_length(left_out_examples) < ${examplesMax}
    then left_out_examples || :examples::jsonb else left_out_examples end`;

function bytes(key: Key | undefined): Buffer | null {
  return key === undefined ? null : bytesOfKey(key);
}

function exampleOf({ key, reason }: LeftOut) {
  return { key: externalPathOf(key), reason };
}
