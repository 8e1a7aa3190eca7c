import type pg from "pg";
import { type MergeCounts, mergeCounts } from "./merge-counts.ts";
import { countRows, runStatement } from "./run-statement.ts";
import { columnList, integrationValues } from "./written-values.ts";

/** Puts the staged integrations in place of those with their IDs. */
export async function mergeIntegrations(client: pg.ClientBase): Promise<MergeCounts> {
  const changed = await runStatement(client, updateChanged);
  const made = await runStatement(client, addNew);
  const all = await countRows(client, "staged_integrations");
  return mergeCounts(all, made, changed);
}

const columns = Object.keys(integrationValues);

const updateChanged = `
  update uploads.integrations i
  set (${columnList(columns)}) = (${columnList(columns, "s")})
  from staged_integrations s
  where i.bucket_id = s.bucket_id and i.integration_id = s.integration_id
    and (${columnList(columns, "i")}) is distinct from (${columnList(columns, "s")})`;

const addNew = `
  insert into uploads.integrations (${columnList(columns)})
  select ${columnList(columns)} from staged_integrations s
  where not exists (
    select from uploads.integrations i
    where i.bucket_id = s.bucket_id and i.integration_id = s.integration_id)`;
