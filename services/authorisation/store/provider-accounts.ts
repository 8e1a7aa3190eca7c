/** Stores the accounts of people who sign in at another provider. */
import type pg from "pg";
import type { Details } from "../model/authorization-details.ts";
import { changeAccount } from "./accounts.ts";

/** Who a person is at the provider: the claims `iss` and `sub`. Nothing else identifies them. */
export interface ProviderIdentity {
  issuer: string;
  subject: string;
}

/** What the provider says of a person at a sign-in, and what the groups allow. */
export interface ProviderAccount extends ProviderIdentity {
  /** UUID, for an account that is new. */
  accountId: string;
  organisationId: string;
  /** What a new account should be called: normalised, at most 119 characters. */
  loginName: string;
  name: string;
  email: string | null;
  authorizationDetails: Details;
}

/**
 * Adds the account of an identity, or changes it to what is known now. Returns its ID. The login
 * name of an account stays; if a new one is taken, it gets a suffix.
 */
export async function storeProviderAccount(
  pool: pg.Pool,
  account: ProviderAccount,
): Promise<string> {
  const { rows } = await pool.query<{ accountId: string }>({
    name: "store-provider-account",
    text: `
      insert into auth.accounts (account_id, organisation_id, login_name, name, email,
        provider_issuer, provider_subject, authorization_details)
      values ($1::uuid, $2, case when exists (select from auth.accounts where login_name = $3)
        then $3 || '#' || left($1::uuid::text, 8) else $3 end, $4, $5, $6, $7, $8)
      on conflict (provider_issuer, provider_subject) do update set
        organisation_id = excluded.organisation_id, name = excluded.name, email = excluded.email,
        authorization_details = excluded.authorization_details
      returning account_id as "accountId"`,
    values: [
      account.accountId,
      account.organisationId,
      account.loginName,
      account.name,
      account.email,
      account.issuer,
      account.subject,
      account.authorizationDetails && JSON.stringify(account.authorizationDetails),
    ],
  });
  return rows[0]?.accountId ?? account.accountId;
}

/** Ends the access of an identity. Returns false if it has no account. */
export async function signOutIdentity(
  pool: pg.Pool,
  { issuer, subject }: ProviderIdentity,
): Promise<boolean> {
  const lock = `
    select account_id as id from auth.accounts
    where provider_issuer = $1 and provider_subject = $2 for update`;
  return (await changeAccount(pool, lock, [issuer, subject])) !== undefined;
}

/** Whether anybody can sign in with a password. */
export async function hasPasswords(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "has-passwords",
    text: "select from auth.accounts where password_hash is not null limit 1",
  });
  return rowCount === 1;
}

/** Finds the sessions that began under one session of the provider, by their `acr`. */
export async function findSessionsOfProvider(
  database: pg.Pool | pg.ClientBase,
  acr: string,
): Promise<{ sessionUid: string; subject: string }[]> {
  const { rows } = await database.query<{ sessionUid: string; subject: string }>(
    `select uid as "sessionUid", account_id as subject from auth.provider_records
     where model = 'Session' and account_id is not null and payload->>'acr' = $1`,
    [acr],
  );
  return rows;
}
