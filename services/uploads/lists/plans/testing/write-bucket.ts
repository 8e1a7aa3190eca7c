/** For tests: writes a bucket without an import. */
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import type pg from "pg";
import { uploadValues } from "../../../import/records/column-values.ts";
import { ancestorPaths } from "../../../model/path.ts";
import { treeKey } from "../../../model/tree-key.ts";
import { copiedTable } from "../../../postgres/copy-in.ts";

export interface BucketIds {
  readonly bucketId: string;
  readonly bucketNumber: number;
}

/** Writes the bucket with its folders and uploads; needs empty tables. */
export async function writeBucket(
  client: pg.ClientBase,
  { bucketId, bucketNumber }: BucketIds,
  uploads: readonly Upload[],
): Promise<void> {
  await client.query(
    `insert into uploads.buckets (bucket_id, bucket_number, hostname, organisation_id)
    values ($1, $2::integer, $2::integer || '.example.com', 'o')`,
    [bucketId, bucketNumber],
  );
  const positions = await writeFolders(client, bucketNumber, uploads);
  const table = copiedTable<Parameters<typeof uploadValues.path>[0]>(client, "uploads.uploads", {
    ...uploadValues,
    bucket_number: () => bucketNumber,
    tree_position: ({ upload }) => positions.get(upload.path) ?? null,
  });
  for (const [line, upload] of uploads.entries()) {
    table.add({ kind: "upload", bucketId, line, upload });
    await table.send(false);
  }
  await table.send(true);
  await client.query("insert into uploads.bucket_sizes values ($1, $2, $3)", [
    bucketId,
    positions.size,
    uploads.length,
  ]);
}

/** Returns the tree position of each path. */
async function writeFolders(
  client: pg.ClientBase,
  bucketNumber: number,
  uploads: readonly Upload[],
): Promise<ReadonlyMap<string, string>> {
  const ofUploads = new Set(uploads.map(({ path }) => path));
  const paths = [...new Set([...ofUploads, ...[...ofUploads].flatMap(ancestorPaths)])];
  const { rows } = await client.query<{ tree_key: string; tree_position: string }>(
    `insert into uploads.folders
      (bucket_number, tree_position, tree_key, path, folder_id, integration_hidden)
    select $1::integer, 100 * row_number() over (order by k.tree_key collate "C"),
      k.tree_key, k.path, gen_random_uuid(), false
    from unnest($2::text[], $3::text[]) as k (tree_key, path)
    returning tree_key, tree_position`,
    [bucketNumber, paths.map(treeKey), paths],
  );
  const positions = new Map(rows.map((row) => [row.tree_key, row.tree_position]));
  return new Map(paths.map((path) => [path, positions.get(treeKey(path)) ?? ""]));
}
