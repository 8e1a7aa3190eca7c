/**
 * Stores refresh tokens. One statement uses up a code or a token and stores what replaces it, so a
 * failure in between costs nobody the grant.
 */
import type { KeyObject } from "node:crypto";
import type pg from "pg";
import { successorOf } from "../model/refresh-successors.ts";
import { withoutSecrets } from "../overrides/interaction-secrets.ts";
import { errors } from "../overrides/library.ts";
import type { TokenRecord } from "../overrides/single-use.ts";
import { recordIdHash } from "./provider-records.ts";

interface RefreshTokenStore {
  pool: pg.Pool;
  /** See model/refresh-successors.ts. */
  successorKeys: readonly KeyObject[];
  /** How long a token that was used gets the same successor again, in seconds. */
  graceSeconds: number;
  /** Revokes a grant with everything that rests on it. */
  revokeGrant: (grantId: string) => Promise<void>;
}

/** Uses up a code and stores its refresh token. A code that was used revokes its grant. */
export async function redeemCode(
  { pool, revokeGrant }: Pick<RefreshTokenStore, "pool" | "revokeGrant">,
  code: { kind: string; jti: string },
  id: string,
  token: TokenRecord,
): Promise<void> {
  if (await replace(pool, code.kind, code.jti, id, token)) return;
  if (token.payload.grantId !== undefined) await revokeGrant(token.payload.grantId);
  throw new errors.InvalidGrant("the code was used already");
}

/**
 * Uses up a refresh token and stores its successor, which is returned. For a while, a token that
 * was used gets the same successor again, unless that was used too. Every other use of it revokes
 * the grant: somebody else may have the token.
 */
export async function rotateRefreshToken(
  { pool, successorKeys, graceSeconds, revokeGrant }: RefreshTokenStore,
  used: string,
  successor: TokenRecord,
): Promise<string> {
  const candidates = successorKeys.map((key) => successorOf(used, key));
  const [next] = candidates;
  if (next === undefined) throw new Error("Cannot rotate a refresh token: there is no key");
  if (await replace(pool, model, used, next, successor)) return next;
  const earlier = await unusedSuccessor(pool, { used, candidates, graceSeconds });
  if (earlier !== undefined) return earlier;
  if (successor.payload.grantId !== undefined) await revokeGrant(successor.payload.grantId);
  throw new errors.InvalidGrant("the refresh token was used already");
}

const model = "RefreshToken";

/** Returns false if the code or token was used already, or does not exist any more. */
async function replace(
  pool: pg.Pool,
  usedModel: string,
  used: string,
  id: string,
  { payload, expiresInSeconds }: TokenRecord,
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "use-up-and-store",
    text: `
      with used as (
        update auth.provider_records set consumed_at = now()
        where model = $1 and id_hash = $2 and consumed_at is null
        returning 1
      )
      insert into auth.provider_records
        (model, id_hash, payload, expires_at, grant_id, account_id, client_id)
      select '${model}', $3, $4, now() + make_interval(secs => $5), $6, $7, $8 from used`,
    values: [
      usedModel,
      recordIdHash(used),
      recordIdHash(id),
      JSON.stringify(withoutSecrets(id, payload)),
      expiresInSeconds,
      payload.grantId,
      payload.accountId,
      payload.clientId,
    ],
  });
  return rowCount === 1;
}

/** The successor of a token that was used a moment ago; undefined if it was used itself. */
async function unusedSuccessor(
  pool: pg.Pool,
  search: { used: string; candidates: readonly string[]; graceSeconds: number },
): Promise<string | undefined> {
  const { rows } = await pool.query<{ idHash: Buffer }>({
    name: "find-unused-successor",
    text: `
      select successor.id_hash as "idHash"
      from auth.provider_records used, auth.provider_records successor
      where used.model = '${model}' and used.id_hash = $1
        and used.consumed_at > now() - make_interval(secs => $3)
        and successor.model = '${model}' and successor.id_hash = any($2)
        and successor.consumed_at is null`,
    values: [recordIdHash(search.used), search.candidates.map(recordIdHash), search.graceSeconds],
  });
  const [found] = rows;
  return search.candidates.find((id) => found?.idHash.equals(recordIdHash(id)));
}
