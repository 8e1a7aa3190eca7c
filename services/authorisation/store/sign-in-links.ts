/**
 * Stores the links that sign a person in once. They are records like those of oidc-provider: under
 * the SHA-256 of their secret, pruned when they expire, and removed when the person's access ends.
 */
import { randomBytes } from "node:crypto";
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { subjectOf } from "../model/subjects.ts";
import { isEnabled } from "./accounts.ts";
import { recordIdHash, storeRecord } from "./provider-records.ts";

/** How long a link is valid. */
export const signInLinkSeconds = 600;

/** The most links of one account, including used ones. A further link ends the oldest. */
const linksMax = 10;

const model = "SignInLink";

/** Whom a link signs in, and where it leads. */
export interface SignInLink {
  /** UUID. */
  accountId: string;
  loginName: string;
  returnTo: string;
}

/**
 * Adds a link. Returns its secret, 256 random bits of which only the hash is stored; undefined if
 * the account was disabled or removed.
 */
export async function addSignInLink(
  pool: pg.Pool,
  { accountId, returnTo }: Omit<SignInLink, "loginName">,
): Promise<string | undefined> {
  const id = randomBytes(32).toString("base64url");
  const subject = subjectOf(accountId);
  return await inTransaction(pool, async (connection) => {
    // The lock has concurrent calls for one account wait for each other, so none exceeds the limit.
    const { rowCount } = await connection.query(
      "select from auth.accounts where account_id = $1 and disabled_at is null for update",
      [accountId],
    );
    if (rowCount !== 1) return undefined;
    await connection.query(
      `delete from auth.provider_records where (model, id_hash) in (
         select model, id_hash from auth.provider_records
         where account_id = $1 and model = $2
         order by expires_at desc offset $3)`,
      [subject, model, linksMax - 1],
    );
    await storeRecord(connection, {
      model,
      id,
      payload: JSON.stringify({ accountId, returnTo }),
      expiresInSeconds: signInLinkSeconds,
      accountId: subject,
    });
    return id;
  });
}

/**
 * Uses up a link. Of concurrent calls, one gets it. Returns undefined if the link is unknown, has
 * expired or was used before.
 */
export async function useSignInLink(pool: pg.Pool, id: string): Promise<SignInLink | undefined> {
  const { rows } = await pool.query<SignInLink>({
    name: "use-sign-in-link",
    text: `update auth.provider_records link set consumed_at = now() from ${accountsOfLinks}
      where ${isThisLink} and link.consumed_at is null returning ${columns}`,
    values: [model, recordIdHash(id)],
  });
  return rows[0];
}

/** Finds a link that has not expired, used or not. */
export async function findSignInLink(
  pool: pg.Pool,
  id: string,
): Promise<(SignInLink & { isUsed: boolean }) | undefined> {
  const { rows } = await pool.query<SignInLink & { isUsed: boolean }>({
    name: "find-sign-in-link",
    text: `select ${columns}, link.consumed_at is not null as "isUsed"
      from auth.provider_records link, ${accountsOfLinks} where ${isThisLink}`,
    values: [model, recordIdHash(id)],
  });
  return rows[0];
}

const accountsOfLinks = "auth.accounts join auth.organisations using (organisation_id)";

const isThisLink = `link.model = $1 and link.id_hash = $2 and link.expires_at > now()
  and accounts.account_id = (link.payload->>'accountId')::uuid and ${isEnabled}`;

const columns = `accounts.account_id as "accountId", accounts.login_name as "loginName",
  link.payload->>'returnTo' as "returnTo"`;
