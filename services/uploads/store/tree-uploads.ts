import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import sql from "sql-template-tag";
import type { NamePattern } from "../domain/name-pattern.ts";
import type { TreeKey } from "../domain/tree-key.ts";
import type { View } from "../domain/view.ts";
import type { Run } from "./database.ts";
import { uploadNameMatches } from "./name-conditions.ts";
import { type UploadRow, uploadColumns, uploadOf, uploadTables } from "./upload-columns.ts";
import { uploadIsShown } from "./view-conditions.ts";

/**
 * The uploads directly in each of the folders, by filename, then ID, at most `limit` in all.
 *
 * @param folders keys of folders that the caller may see.
 */
export async function treeUploads(
  run: Run,
  scope: { bucketId: string; view: View; folders: readonly TreeKey[] },
  name: NamePattern | undefined,
  limit: number,
): Promise<Map<TreeKey, Upload[]>> {
  const rows = await run<UploadRow & { folder_key: TreeKey }>(sql`
    select u.folder_key, ${uploadColumns} from ${uploadTables}
    where u.bucket_id = ${scope.bucketId} and u.folder_key = any (${scope.folders}::text[])
      and ${uploadIsShown(scope.view.clientId)}
      and ${name === undefined ? sql`true` : uploadNameMatches(name)}
    order by u.folder_key, u.filename, u.upload_id
    limit ${limit}`);
  return new Map(
    Map.groupBy(rows, (row) => row.folder_key)
      .entries()
      .map(([key, inFolder]) => [key, inFolder.map(uploadOf)]),
  );
}
