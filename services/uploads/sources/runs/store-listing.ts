/** The listing of a run: a table of its own, filled page by page. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { externalPathOf } from "../keys.ts";
import type { LeftOut } from "../lister.ts";
import { listingColumns, type PreparedPages } from "./listing-rows.ts";
import { type Run, requireHolder, tablesOf, updateRun } from "./run.ts";

export async function createListing(client: pg.ClientBase, run: Run): Promise<void> {
  await inTransaction(client, async () => {
    await client.query(`create table ${tablesOf(run).listing} ${listingColumns}`);
    await requireHolder(client, run);
  });
}

export async function storePages(
  client: pg.ClientBase,
  run: Run,
  { rows, objects, sizeBytes, leftOut }: PreparedPages,
): Promise<void> {
  await inTransaction(client, async () => {
    await rows.send(true);
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

function exampleOf({ key, reason }: LeftOut) {
  return { key: externalPathOf(key), reason };
}
