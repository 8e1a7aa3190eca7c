/** Stores the service accounts, and which of their assertions were used. */
import { createHash } from "node:crypto";
import { addDenylistEntry, prepareDenylist } from "@stowage/access-token/postgres";
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { accessTokenSecondsMax, subjectRevokedSeconds } from "../model/lifetimes.ts";
import { serviceAccountUrn } from "../model/subjects.ts";
import { findInBatches } from "./batches.ts";
import { ensureApplication } from "./organisations.ts";

export interface ServiceAccount {
  /** UUID. */
  serviceAccountId: string;
  applicationId: string;
  organisationId: string;
  /** The display name; may be empty. */
  name: string;
  /** The scopes it may be granted. */
  scopes: string[];
  /** SPKI. */
  publicKeyPem: string;
  /** The `jti` of its one assertion, a UUID; null for an account that signs its own. */
  assertionId: string | null;
  assertionExpiresAt: Date | null;
}

export interface StoredServiceAccount extends ServiceAccount {
  createdAt: Date;
  revokedAt: Date | null;
}

/**
 * Adds an account, and its application and organisation if they are new.
 *
 * @throws ConflictError if the application belongs to another organisation
 */
export async function addServiceAccount(pool: pg.Pool, account: ServiceAccount): Promise<void> {
  await inTransaction(pool, async (connection) => {
    await ensureApplication(connection, account);
    await connection.query(
      `insert into auth.service_accounts (service_account_id, application_id, name, scopes,
         public_key_pem, assertion_id, assertion_expires_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        account.serviceAccountId,
        account.applicationId,
        account.name,
        account.scopes,
        account.publicKeyPem,
        account.assertionId,
        account.assertionExpiresAt,
      ],
    );
  });
}

const select = `
  select service_account_id as "serviceAccountId", application_id as "applicationId",
    organisation_id as "organisationId", name, scopes, public_key_pem as "publicKeyPem",
    assertion_id as "assertionId", assertion_expires_at as "assertionExpiresAt",
    service_accounts.created_at as "createdAt", revoked_at as "revokedAt"
  from auth.service_accounts join auth.applications using (application_id)`;

/** Finds an account by its UUID, revoked or not, unless its organisation is disabled. */
export type FindServiceAccount = (
  serviceAccountId: string,
) => Promise<StoredServiceAccount | undefined>;

/** Makes a {@link FindServiceAccount}, which looks for those of concurrent requests together. */
export function serviceAccountFinder(pool: pg.Pool): FindServiceAccount {
  const statement = {
    name: "find-service-accounts",
    text: `${select} join auth.organisations using (organisation_id)
      where service_account_id = any($1) and organisations.disabled_at is null`,
  };
  return findInBatches<StoredServiceAccount>(
    pool,
    statement,
    (account) => account.serviceAccountId,
  );
}

/** Lists all accounts, oldest first. There are a few hundred at most: people add them. */
export async function listServiceAccounts(pool: pg.Pool): Promise<StoredServiceAccount[]> {
  const { rows } = await pool.query<StoredServiceAccount>(
    `${select} order by service_accounts.created_at, service_account_id`,
  );
  return rows;
}

type Revocation = "revoked" | "revokedBefore" | "unknown";

/** Revokes an account and its tokens, in one transaction. */
export async function revokeServiceAccount(
  pool: pg.Pool,
  serviceAccountId: string,
): Promise<Revocation> {
  await prepareDenylist(pool);
  return await inTransaction(pool, async (connection) => {
    const { rows } = await connection.query<{ wasRevoked: boolean }>(
      `select revoked_at is not null as "wasRevoked" from auth.service_accounts
       where service_account_id = $1 for update`,
      [serviceAccountId],
    );
    const [account] = rows;
    if (account === undefined) return "unknown";
    if (account.wasRevoked) return "revokedBefore";
    await connection.query(
      "update auth.service_accounts set revoked_at = now() where service_account_id = $1",
      [serviceAccountId],
    );
    const now = Math.floor(Date.now() / 1000);
    await addDenylistEntry(connection, {
      kind: "sub",
      value: serviceAccountUrn(serviceAccountId),
      // Covers the next hour too, and so the tokens of running requests. No later ones are issued.
      issuedBefore: now + accessTokenSecondsMax,
      expiresAt: now + subjectRevokedSeconds,
    });
    return "revoked";
  });
}

export interface OwnAssertion {
  serviceAccountId: string;
  /** Its `jti`. */
  assertionId: string;
  /** Unix time in seconds: it must be remembered until then. */
  keptUntil: number;
}

/** Records that an assertion is used. Returns false if it was used before. */
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

/** Removing a batch takes well under a second. */
const rowsMax = 10_000;

/** Removes a batch of expired assertions. Returns how many. */
export async function pruneUsedAssertions(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from auth.used_assertions where (service_account_id, assertion_id_hash) in (
       select service_account_id, assertion_id_hash from auth.used_assertions
       where expires_at < now() order by expires_at limit ${rowsMax}
       for update skip locked)`,
  );
  return rowCount ?? 0;
}
