/** Puts tokens that were issued on the denylist, in few entries. */
import type { DenylistEntry } from "@stowage/access-token";
import type pg from "pg";
import { acceptedSecondsMax } from "../model/lifetimes.ts";

interface IssuedToken {
  subject: string;
  tokenId: string;
  /** Unix time in seconds. */
  issuedAt: number;
}

/**
 * If more tokens of a subject are denied, one entry denies all its tokens, also those of other
 * grants. A thousand entries take half a second, and the denylist holds a million.
 */
const tokensMax = 1000;

/** Denies tokens. `add` stores an entry. */
export async function denyTokens(
  tokens: readonly IssuedToken[],
  add: (entry: DenylistEntry) => Promise<void>,
): Promise<void> {
  for (const [subject, theirs] of Map.groupBy(tokens, (token) => token.subject)) {
    for (const entry of theirs.length > tokensMax ? [allOf(subject)] : theirs.map(entryOf)) {
      await add(entry);
    }
  }
}

function entryOf({ tokenId, issuedAt }: IssuedToken): DenylistEntry {
  return { kind: "jti", value: tokenId, expiresAt: issuedAt + acceptedSecondsMax };
}

/** Times of issue are in whole seconds. The entry includes the current second. */
function allOf(subject: string): DenylistEntry {
  const issuedBefore = Math.floor(Date.now() / 1000) + 1;
  return {
    kind: "sub",
    value: subject,
    issuedBefore,
    expiresAt: issuedBefore + acceptedSecondsMax,
  };
}

/**
 * Finds the tokens that may still be valid. Of each subject, it returns at most one more than may
 * have entries of their own. A record is a little older than its token.
 *
 * @param condition selects rows of `auth.authorisations`
 */
export async function findValidTokens(
  connection: pg.ClientBase | pg.Pool,
  condition: string,
  values: readonly unknown[],
): Promise<IssuedToken[]> {
  const { rows } = await connection.query<IssuedToken>(
    `select subject, token_id as "tokenId",
       floor(extract(epoch from issued_at))::float8 as "issuedAt"
     from (
       select *, row_number() over (partition by subject) as number
       from auth.authorisations
       where issued_at > now() - make_interval(secs => ${acceptedSecondsMax})
         and (${condition})
     ) as issued
     where number <= ${tokensMax + 1}`,
    [...values],
  );
  return rows;
}
