/** Stores the accounts of people. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import type { Details } from "../model/authorization-details.ts";
import { subjectOf } from "../model/subjects.ts";
import { endAccess, nextSecond } from "./end-access.ts";
import { ensureOrganisation } from "./organisations.ts";

export interface Account {
  /** UUID. */
  accountId: string;
  organisationId: string;
  /** Unique, and normalised: see model/credentials.ts. */
  loginName: string;
  /** The display name; may be empty. */
  name: string;
  /** Not verified, and not unique. */
  email: string | null;
  /** Whether the person signs in at another provider, and has no password here. */
  isOfProvider?: boolean;
}

export interface StoredAccount extends Account {
  /** Unix time in seconds: earlier sign-ins have ended. */
  signedOutAt: number | null;
  /** Limits of each token of the person, or null. Only people of another provider have any. */
  authorizationDetails: Details | null;
}

/**
 * Whether a sign-in of an account has ended.
 *
 * @param signedInAt Unix time in seconds; unknown: earlier than all others
 */
export function isSignedOut(
  { signedOutAt }: Pick<StoredAccount, "signedOutAt">,
  signedInAt = 0,
): boolean {
  return signedInAt < (signedOutAt ?? 0);
}

/** Adds an account, and its organisation if it is new. Returns false if the name is taken. */
export async function addAccount(pool: pg.Pool, account: AccountWithPassword): Promise<boolean> {
  const { accountId, organisationId, loginName, name, email, passwordHash } = account;
  return await inTransaction(pool, async (connection) => {
    await ensureOrganisation(connection, organisationId);
    const { rowCount } = await connection.query(
      `insert into auth.accounts
         (account_id, organisation_id, login_name, name, email, password_hash)
       values ($1, $2, $3, $4, $5, $6) on conflict (login_name) do nothing`,
      [accountId, organisationId, loginName, name, email, passwordHash],
    );
    return rowCount === 1;
  });
}

/** Finds an account by its identifier, a UUID, unless it or its organisation is disabled. */
export async function findAccount(
  pool: pg.Pool,
  accountId: string,
): Promise<StoredAccount | undefined> {
  const { rows } = await pool.query<StoredAccount>({
    name: "find-account",
    text: `
      select ${columns}, extract(epoch from signed_out_at)::float8 as "signedOutAt",
        authorization_details as "authorizationDetails"
      from auth.accounts join auth.organisations using (organisation_id)
      where account_id = $1 and ${isEnabled}`,
    values: [accountId],
  });
  return rows[0];
}

export interface AccountWithPassword extends Account {
  passwordHash: string;
}

/**
 * Finds an account and the hash of its password by the normalised login name, unless it is disabled
 * or has none.
 */
export async function findAccountByLoginName(
  pool: pg.Pool,
  loginName: string,
): Promise<AccountWithPassword | undefined> {
  const { rows } = await pool.query<AccountWithPassword>({
    name: "find-account-by-login-name",
    text: `
      select ${columns}, password_hash as "passwordHash"
      from auth.accounts join auth.organisations using (organisation_id)
      where login_name = $1 and password_hash is not null and ${isEnabled}`,
    values: [loginName],
  });
  return rows[0];
}

export interface ListedAccount extends Account {
  createdAt: Date;
  /** Null: it is enabled. */
  disabledAt: Date | null;
}

/** Lists all accounts, or those of an organisation, by login name. */
export async function listAccounts(
  pool: pg.Pool,
  organisationId: string | undefined,
): Promise<ListedAccount[]> {
  const { rows } = await pool.query<ListedAccount>(
    `select ${columns}, created_at as "createdAt", disabled_at as "disabledAt" from auth.accounts
     where $1::text is null or organisation_id = $1 order by login_name`,
    [organisationId],
  );
  return rows;
}

/** The condition of a query on accounts and their organisations. */
export const isEnabled = "accounts.disabled_at is null and organisations.disabled_at is null";

const columns = `
  account_id as "accountId", organisation_id as "organisationId", login_name as "loginName", name,
  email, provider_issuer is not null as "isOfProvider"`;

/** Changes the claims about a person. Returns false if there is no such account. */
export async function updateAccount(
  pool: pg.Pool,
  loginName: string,
  changes: { name?: string | undefined; email?: string | null | undefined },
): Promise<boolean> {
  const { name, email } = changes;
  const { rowCount } = await pool.query(
    `update auth.accounts set name = coalesce($2, name),
       email = case when $3::boolean then $4 else email end
     where login_name = $1`,
    [loginName, name ?? null, email !== undefined, email ?? null],
  );
  return rowCount === 1;
}

/** Removes an account and ends its access. Returns false if there is no such account. */
export async function removeAccount(pool: pg.Pool, loginName: string): Promise<boolean> {
  const removal = "delete from auth.accounts where login_name = $1 returning account_id as id";
  return (await changeAccount(pool, removal, [loginName])) !== undefined;
}

/** Finds the identifier of an account, disabled or not, by the normalised login name. */
export async function findAccountId(
  database: pg.Pool | pg.ClientBase,
  loginName: string,
): Promise<string | undefined> {
  const { rows } = await database.query<{ id: string }>(
    "select account_id as id from auth.accounts where login_name = $1",
    [loginName],
  );
  return rows[0]?.id;
}

/** Whether an account, disabled or not, has a password: those of another provider have none. */
export async function hasPassword(pool: pg.Pool, loginName: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    "select from auth.accounts where login_name = $1 and password_hash is not null",
    [loginName],
  );
  return rowCount === 1;
}

/** Changes a password and ends the access. Returns false if no such account has a password. */
export async function changePassword(
  pool: pg.Pool,
  loginName: string,
  passwordHash: string,
): Promise<boolean> {
  const change = `
    update auth.accounts set password_hash = $2
    where login_name = $1 and password_hash is not null returning account_id as id`;
  return (await changeAccount(pool, change, [loginName, passwordHash])) !== undefined;
}

/**
 * Replaces a password that was checked, and ends the access. Returns the time from which sign-ins
 * count, in Unix seconds.
 *
 * Returns undefined, and changes nothing, if the account has another password by now, was signed
 * out or was disabled. A person who knows only the earlier password must not undo that.
 */
export async function replacePassword(
  pool: pg.Pool,
  checked: Pick<StoredAccount, "accountId" | "signedOutAt"> & { passwordHash: string },
  passwordHash: string,
): Promise<number | undefined> {
  const change = `
    update auth.accounts set password_hash = $2
    where account_id = $1 and password_hash = $3 and disabled_at is null
      and extract(epoch from signed_out_at)::float8 is not distinct from $4
    returning account_id as id`;
  const { accountId, signedOutAt } = checked;
  const values = [accountId, passwordHash, checked.passwordHash, signedOutAt];
  return await changeAccount(pool, change, values);
}

/** Ends the access of an account. Returns false if there is no such account. */
export async function signOutEverywhere(pool: pg.Pool, loginName: string): Promise<boolean> {
  const lock = "select account_id as id from auth.accounts where login_name = $1 for update";
  return (await changeAccount(pool, lock, [loginName])) !== undefined;
}

/** Changes an account and ends its access. Returns undefined if the statement changed none. */
export async function changeAccount(
  pool: pg.Pool,
  text: string,
  values: readonly unknown[],
): Promise<number | undefined> {
  return await inTransaction(pool, async (connection) => {
    const { rows } = await connection.query<{ id: string }>(text, [...values]);
    const [account] = rows;
    return account && (await signOut(connection, account.id));
  });
}

/**
 * Ends the sessions, grants and tokens of an account, in a transaction of the caller, which has
 * locked the account. Returns the time from which sign-ins count, in Unix seconds.
 */
export async function signOut(connection: pg.ClientBase, accountId: string): Promise<number> {
  await endAccess(connection, { subject: subjectOf(accountId) });
  const endsBefore = nextSecond();
  // Increases with each call, even within a second, so that replacePassword notices the change.
  const { rows } = await connection.query<{ signedOutAt: number }>(
    `update auth.accounts
     set signed_out_at = greatest(to_timestamp($2), signed_out_at + interval '1 second')
     where account_id = $1 returning extract(epoch from signed_out_at)::float8 as "signedOutAt"`,
    [accountId, endsBefore],
  );
  return rows[0]?.signedOutAt ?? endsBefore;
}
