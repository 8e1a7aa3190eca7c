/** Stores copies of grants: one for each login that outlives its session. */
import type pg from "pg";
import { recordIdHash } from "./provider-records.ts";

/** Of one person and client: people have fewer devices. A further login ends the oldest. */
export const copiesMax = 100;

/** A copy to store. */
interface GrantCopy {
  grantId: string;
  payload: object;
  expiresInSeconds: number;
}

interface CopyStore {
  pool: pg.Pool;
  /** Revokes a grant with everything that rests on it. */
  revokeGrant: (grantId: string) => Promise<void>;
}

/**
 * Stores a copy of a grant. Returns false, and stores nothing, if the grant was removed. A removal
 * at the same moment waits for the copy, and then removes it too: see {@link removeGrants}.
 */
export async function copyGrant(
  { pool, revokeGrant }: CopyStore,
  grantId: string,
  copy: GrantCopy,
): Promise<boolean> {
  const { rows } = await pool.query<Owner>({
    name: "copy-grant",
    text: `
      with held as (
        select account_id, client_id from auth.provider_records
        where model = 'Grant' and id_hash = $1 for key share
      )
      insert into auth.provider_records
        (model, id_hash, payload, expires_at, grant_id, account_id, client_id)
      select 'Grant', $2, $3, now() + make_interval(secs => $4), $5, account_id, client_id
      from held
      returning account_id as "accountId", client_id as "clientId"`,
    values: [
      recordIdHash(grantId),
      recordIdHash(copy.grantId),
      JSON.stringify(copy.payload),
      copy.expiresInSeconds,
      copy.grantId,
    ],
  });
  const [owner] = rows;
  if (owner === undefined) return false;
  const surplus = await findSurplus(pool, owner, copy.grantId);
  for (const surplusId of surplus) await revokeGrant(surplusId);
  return true;
}

interface Owner {
  accountId: string;
  clientId: string;
}

/**
 * Finds the copies beyond the limit: those that expire first. The new one is never among them, even
 * if older ones expire later because the lifetimes were shortened. Grants of sessions do not count.
 */
async function findSurplus(
  pool: pg.Pool,
  { accountId, clientId }: Owner,
  newGrantId: string,
): Promise<string[]> {
  const { rows } = await pool.query<{ grantId: string }>({
    name: "find-surplus-grants",
    text: `
      select grant_id as "grantId" from auth.provider_records
      where model = 'Grant' and account_id = $1 and client_id = $2 and grant_id <> $3
        and uid is null
      order by expires_at desc offset $4`,
    values: [accountId, clientId, newGrantId, copiesMax - 1],
  });
  return rows.map(({ grantId }) => grantId);
}
