/** Logout tokens that were accepted. */
import { createHash } from "node:crypto";
import type pg from "pg";

/** Returns false if the token was used before. */
export async function useLogoutToken(
  client: pg.ClientBase,
  tokenId: string,
  expiresAtSeconds: number,
): Promise<boolean> {
  const hash = createHash("sha256").update(tokenId).digest();
  const { rowCount } = await client.query(
    `insert into web.used_logout_tokens (token_hash, expires_at) values ($1, to_timestamp($2))
     on conflict do nothing`,
    [hash, expiresAtSeconds],
  );
  return rowCount === 1;
}

const pruneBatch = 1000;

/** Removes a batch of expired ones. Returns their number. */
export async function pruneUsedLogoutTokens(
  database: pg.Pool,
  toleranceSeconds: number,
): Promise<number> {
  const { rowCount } = await database.query(
    `delete from web.used_logout_tokens where token_hash in (
       select token_hash from web.used_logout_tokens
       where expires_at < now() - make_interval(secs => $1) limit ${pruneBatch})`,
    [toleranceSeconds],
  );
  return rowCount ?? 0;
}
