/**
 * Stores refresh tokens. One statement uses up a code or a token and stores what replaces it, so a
 * failure in between costs nobody the grant.
 */
import type { KeyObject } from "node:crypto";
import type pg from "pg";
import { successorOf } from "../model/refresh-successors.ts";
import { consumeRecord, recordIdHash } from "./provider-records.ts";

interface RefreshTokenStore {
  pool: pg.Pool;
  /** See model/refresh-successors.ts. */
  successorKeys: readonly KeyObject[];
  /** How long a token that was used gets the same successor again, in seconds. */
  graceSeconds: number;
}

/** A code in an exchange. */
interface ExchangedCode {
  /** oidc-provider's name of its kind: `AuthorizationCode` or `DeviceCode`. */
  kind: string;
  jti: string;
  /** Whether its last exchange has failed by a fault of ours. */
  hasFailed: boolean;
}

/** A refresh token to store. Its ID is not in the payload. */
interface NewToken {
  payload: {
    grantId?: string | undefined;
    accountId?: string | undefined;
    clientId?: string | undefined;
  };
  expiresInSeconds: number;
}

/** Codes live for a minute, those of devices for longer. Clients try again within seconds. */
const failedCodeSeconds = 600;

/**
 * Uses up a code and stores its refresh token. Returns the ID of the token; undefined if the code
 * was used before. If that exchange has failed, its refresh token may be stored already: then this
 * returns the ID of that one.
 */
export async function redeemCode(
  { pool, successorKeys }: Omit<RefreshTokenStore, "graceSeconds">,
  { kind, jti: used, hasFailed }: ExchangedCode,
  token: NewToken,
): Promise<string | undefined> {
  const candidates = successorsOf(used, successorKeys);
  const [next] = candidates;
  if (await replace(pool, { kind, used, next, token })) return next;
  const graceSeconds = hasFailed ? failedCodeSeconds : 0;
  return await unusedSuccessor(pool, { kind, used, candidates, graceSeconds });
}

/** Uses up a code without a refresh token. Returns false if it was used before, as above. */
export async function useCode(
  pool: pg.Pool,
  { kind, jti: id, hasFailed }: ExchangedCode,
): Promise<boolean> {
  const isFirstUse = (await consumeRecord(pool, { model: kind, id })) === undefined;
  return isFirstUse || hasFailed;
}

/**
 * Uses up a refresh token and stores its successor. Returns the ID of the successor. For a while, a
 * token that was used gets the same successor again, unless that was used too. Otherwise, returns
 * undefined for a token that was used.
 */
export async function rotateRefreshToken(
  { pool, successorKeys, graceSeconds }: RefreshTokenStore,
  used: string,
  token: NewToken,
): Promise<string | undefined> {
  const candidates = successorsOf(used, successorKeys);
  const [next] = candidates;
  if (await replace(pool, { kind: model, used, next, token })) return next;
  return await unusedSuccessor(pool, { kind: model, used, candidates, graceSeconds });
}

const model = "RefreshToken";

/** The possible successors of a code or token: under the current key, then under earlier ones. */
function successorsOf(used: string, keys: readonly KeyObject[]): [string, ...string[]] {
  const [next, ...others] = keys.map((key) => successorOf(used, key));
  if (next === undefined) throw new Error("Cannot store a refresh token: there is no key");
  return [next, ...others];
}

interface Replacement {
  /** The model of what is used up. */
  kind: string;
  used: string;
  next: string;
  token: NewToken;
}

/** Returns false if the code or token was used already, or does not exist any more. */
async function replace(
  pool: pg.Pool,
  { kind, used, next, token: { payload, expiresInSeconds } }: Replacement,
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
      kind,
      recordIdHash(used),
      recordIdHash(next),
      JSON.stringify(payload),
      expiresInSeconds,
      payload.grantId,
      payload.accountId,
      payload.clientId,
    ],
  });
  return rowCount === 1;
}

interface SuccessorSearch {
  /** The model of what was used. */
  kind: string;
  used: string;
  candidates: readonly string[];
  graceSeconds: number;
}

/** Finds the successor of what was used a moment ago; undefined if the successor was used too. */
async function unusedSuccessor(
  pool: pg.Pool,
  search: SuccessorSearch,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ idHash: Buffer }>({
    name: "find-unused-successor",
    text: `
      select successor.id_hash as "idHash"
      from auth.provider_records used, auth.provider_records successor
      where used.model = $4 and used.id_hash = $1
        and used.consumed_at > now() - make_interval(secs => $3)
        and successor.model = '${model}' and successor.id_hash = any($2)
        and successor.consumed_at is null`,
    values: [
      recordIdHash(search.used),
      search.candidates.map(recordIdHash),
      search.graceSeconds,
      search.kind,
    ],
  });
  const [found] = rows;
  return search.candidates.find((id) => found?.idHash.equals(recordIdHash(id)));
}
