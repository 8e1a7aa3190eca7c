import type pg from "pg";
import { runStatement } from "./run-statement.ts";

/** Of the staged rows with the same ID, keeps the last, as if each had replaced the one before. */
export async function dropSuperseded(client: pg.ClientBase): Promise<void> {
  await runStatement(client, supersededIn("staged_buckets", ["bucket_id"]));
  await runStatement(client, supersededIn("staged_integrations", ["bucket_id", "integration_id"]));
  await runStatement(client, supersededIn("staged_uploads", ["bucket_id", "upload_id"]));
}

function supersededIn(table: string, key: readonly string[]): string {
  const same = key.map((column) => `staged.${column} = twice.${column}`).join(" and ");
  return `
    delete from ${table} staged
    using (select ${key.join(", ")}, max(line) as line from ${table}
           group by ${key.join(", ")} having count(*) > 1) twice
    where ${same} and staged.line < twice.line`;
}
