/** People who sign in. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { ensureOrganisation } from "./ensure-organisation.ts";

/** An account, without its password. */
export interface Account {
  /** UUID; see accounts/subject.ts. */
  accountId: string;
  organisationId: string;
  /** Unique; see accounts/login-name.ts. */
  loginName: string;
  /** What people call its owner; may be empty. */
  name: string;
}

/** An account, and what has become of it. */
export interface StoredAccount extends Account {
  /** Unix time in seconds: whoever signed in before it is signed out. Null: nobody is. */
  signedOutAt: number | null;
}

/** Adds an account, and its organisation where it is new. Gives false when the name is taken. */
export async function addAccount(
  pool: pg.Pool,
  account: Account & { passwordHash: string },
): Promise<boolean> {
  const { accountId, organisationId, loginName, name, passwordHash } = account;
  return await inTransaction(pool, async (connection) => {
    await ensureOrganisation(connection, organisationId);
    const { rowCount } = await connection.query(
      `insert into auth.accounts (account_id, organisation_id, login_name, name, password_hash)
       values ($1, $2, $3, $4, $5) on conflict (login_name) do nothing`,
      [accountId, organisationId, loginName, name, passwordHash],
    );
    return rowCount === 1;
  });
}

/** Finds an account by its identifier, a UUID. */
export async function findAccount(
  pool: pg.Pool,
  accountId: string,
): Promise<StoredAccount | undefined> {
  const { rows } = await pool.query<StoredAccount>({
    name: "find-account",
    text: `
      select ${columns}, extract(epoch from signed_out_at)::float8 as "signedOutAt"
      from auth.accounts where account_id = $1`,
    values: [accountId],
  });
  return rows[0];
}

/** Finds an account, and the hash of its password, by the name that its owner signs in with. */
export async function findAccountByLoginName(
  pool: pg.Pool,
  loginName: string,
): Promise<(Account & { passwordHash: string }) | undefined> {
  const { rows } = await pool.query<Account & { passwordHash: string }>({
    name: "find-account-by-login-name",
    text: `
      select ${columns}, password_hash as "passwordHash" from auth.accounts
      where login_name = $1`,
    values: [loginName],
  });
  return rows[0];
}

/** Lists all accounts, or those of one organisation, by login name. */
export async function listAccounts(
  pool: pg.Pool,
  organisationId: string | undefined,
): Promise<(Account & { createdAt: Date })[]> {
  const { rows } = await pool.query<Account & { createdAt: Date }>(
    `select ${columns}, created_at as "createdAt" from auth.accounts
     where $1::text is null or organisation_id = $1 order by login_name`,
    [organisationId],
  );
  return rows;
}

const columns = `
  account_id as "accountId", organisation_id as "organisationId", login_name as "loginName", name`;
