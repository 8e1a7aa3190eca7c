/** Stores refresh tokens. */
import type pg from "pg";
import { type ProviderRecord, recordIdHash } from "./provider-records.ts";

/**
 * Uses up a refresh token and stores the next one, in one statement, so that a failure in between
 * costs nobody the grant. Returns false if the token was used longer ago than the grace, or does
 * not exist any more.
 */
export async function rotateRefreshToken(
  pool: pg.Pool,
  used: string,
  next: ProviderRecord,
  graceSeconds: number,
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "rotate-refresh-token",
    text: `
      with used as (
        update auth.provider_records set consumed_at = coalesce(consumed_at, now())
        where model = 'RefreshToken' and id_hash = $1
          and (consumed_at is null or consumed_at > now() - make_interval(secs => $2))
        returning 1
      )
      insert into auth.provider_records
        (model, id_hash, payload, expires_at, grant_id, account_id, client_id)
      select 'RefreshToken', $3, $4, now() + make_interval(secs => $5), $6, $7, $8 from used`,
    values: [
      recordIdHash(used),
      graceSeconds,
      recordIdHash(next.id),
      next.payload,
      next.expiresInSeconds,
      next.grantId,
      next.accountId,
      next.clientId,
    ],
  });
  return rowCount === 1;
}
