/** Stores copies of grants. */
import type pg from "pg";
import type { GrantCopy } from "../overrides/own-grants.ts";
import { recordIdHash } from "./provider-records.ts";

/**
 * Stores a copy of a grant. Returns false, and stores nothing, if the grant was removed. A removal
 * at the same moment waits for the copy, and then removes it too: see {@link removeGrants}.
 */
export async function copyGrant(pool: pg.Pool, grantId: string, copy: GrantCopy): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "copy-grant",
    text: `
      with held as (
        select account_id, client_id from auth.provider_records
        where model = 'Grant' and id_hash = $1 for key share
      )
      insert into auth.provider_records
        (model, id_hash, payload, expires_at, grant_id, account_id, client_id)
      select 'Grant', $2, $3, now() + make_interval(secs => $4), $5, account_id, client_id
      from held`,
    values: [
      recordIdHash(grantId),
      recordIdHash(copy.grantId),
      JSON.stringify(copy.payload),
      copy.expiresInSeconds,
      copy.grantId,
    ],
  });
  return rowCount === 1;
}
