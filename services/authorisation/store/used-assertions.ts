/** Assertions that are good for one token each. */
import { createHash } from "node:crypto";
import type pg from "pg";

/** An assertion that an account has signed itself. */
export interface OwnAssertion {
  serviceAccountId: string;
  /** Its `jti`. */
  assertionId: string;
  /** Unix time in seconds until which it must be remembered. */
  keptUntil: number;
}

/** Puts down that an assertion is used. Gives false when it was used before. */
export async function useAssertion(pool: pg.Pool, assertion: OwnAssertion): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "use-assertion",
    text: `
      insert into auth.used_assertions (service_account_id, assertion_id_hash, expires_at)
      values ($1, $2, to_timestamp($3)) on conflict do nothing`,
    values: [
      assertion.serviceAccountId,
      createHash("sha256").update(assertion.assertionId).digest(),
      assertion.keptUntil,
    ],
  });
  return rowCount === 1;
}

const rowsMax = 10_000;

/** Forgets assertions that have expired, at most 10,000. Gives how many. */
export async function pruneUsedAssertions(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from auth.used_assertions where (service_account_id, assertion_id_hash) in (
       select service_account_id, assertion_id_hash from auth.used_assertions
       where expires_at < now() order by expires_at limit ${rowsMax}
       for update skip locked)`,
  );
  return rowCount ?? 0;
}
