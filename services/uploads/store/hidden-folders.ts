import sql from "sql-template-tag";
import type { TreeKey } from "../domain/tree-key.ts";
import type { Run } from "./database.ts";

/**
 * The folders of a bucket that are hidden from a client: hidden ones whose scoping integration is
 * not the client's, or is not known.
 */
export async function hiddenFolders(
  run: Run,
  bucketId: string,
  clientId: string,
): Promise<TreeKey[]> {
  const rows = await run<{ tree_key: TreeKey }>(sql`
    select f.tree_key from uploads.folders f
    left join uploads.integrations s
      on s.bucket_id = f.bucket_id and s.integration_id = f.scoping_integration_id
    where f.bucket_id = ${bucketId} and f.integration_hidden
      and s.oauth_client_id is distinct from ${clientId}`);
  return rows.map((row) => row.tree_key);
}
