/** Derives anew what is wrong, bucket by bucket. Imports into the bucket wait meanwhile. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { rebuildTotals } from "../import/merge/folder-totals.ts";
import { lockBucket } from "../import/merge/merge-buckets.ts";
import { runOn } from "../import/merge/statements.ts";
import { folderValues, integrationValues, uploadValues } from "../import/records/column-values.ts";
import { buildSkipIndex } from "../import/skip-index/write-skip-index.ts";
import { columnList } from "../postgres/copy-in.ts";
import type { Wrong } from "./find-wrong.ts";

/** Corrects what was found. When the signal aborts, the bucket at hand stays as it was. */
export async function repair(pool: pg.Pool, signal: AbortSignal, wrong: Wrong): Promise<void> {
  const { documents, sizes, totals, skipIndexes } = wrong;
  const ofBucket = Map.groupBy(documents, ({ bucketId }) => bucketId);
  const client = await pool.connect();
  const abort = () => client.release(true);
  signal.addEventListener("abort", abort, { once: true });
  try {
    await client.query("set statement_timeout = 0");
    for (const bucketId of new Set([...ofBucket.keys(), ...sizes, ...totals, ...skipIndexes])) {
      await inTransaction(client, async () => {
        await client.query(lockBucket, [bucketId]);
        for (const { table, id } of ofBucket.get(bucketId) ?? []) {
          await client.query(deriveDocument(table), [bucketId, id]);
        }
        await client.query(countSizes, [bucketId]);
        if (totals.has(bucketId)) await rebuildTotals(client, `'${bucketId}'`);
        if (skipIndexes.has(bucketId)) await rebuildSkipIndex(client, bucketId);
      });
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
    if (!signal.aborted) client.release();
  }
}

const tables: Readonly<Record<string, { key: string; columns: readonly string[] }>> = {
  uploads: { key: "upload_id", columns: Object.keys(uploadValues) },
  folders: { key: "folder_id", columns: Object.keys(folderValues) },
  integrations: { key: "integration_id", columns: Object.keys(integrationValues) },
};

// The database generates a column again when one that it depends on is set, to any value.
function deriveDocument(table: string): string {
  const { key, columns } = tables[table] ?? { key: "", columns: [] };
  return `
    update uploads.${table} set (${columnList(columns)}) = row(${columnList(columns)})
    where bucket_id = $1 and ${key} = $2`;
}

const countSizes = `
  update uploads.bucket_sizes s set
    folders = (select count(*) from uploads.folders f where f.bucket_id = $1),
    uploads = (select count(*) from uploads.uploads u where u.bucket_id = $1)
  where s.bucket_id = $1`;

async function rebuildSkipIndex(client: pg.ClientBase, bucketId: string): Promise<void> {
  const { rows } = await client.query<{ count: string }>(
    "select count(*) from uploads.uploads where bucket_id = $1",
    [bucketId],
  );
  await buildSkipIndex(runOn(client), bucketId, Number(rows[0]?.count));
}
