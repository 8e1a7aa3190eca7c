/** The service accounts, and which of their assertions were used. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { ensureApplication } from "./ensure-application.ts";

/** A service account as stored. */
export interface ServiceAccount {
  /** UUID. */
  serviceAccountId: string;
  applicationId: string;
  organisationId: string;
  /** What people call it; may be empty. */
  name: string;
  /** The scopes it may be granted. */
  scopes: string[];
  /** SPKI; see schema/0011-create-service-accounts.sql. */
  publicKeyPem: string;
  /** The `jti` of its one assertion, UUID; null for an account that signs its own. */
  assertionId: string | null;
  assertionExpiresAt: Date | null;
}

/** An account, and what has become of it. */
export interface StoredServiceAccount extends ServiceAccount {
  createdAt: Date;
  revokedAt: Date | null;
}

/**
 * Adds an account, with its application and organisation where those are new.
 *
 * @throws ConflictError when the application belongs to another organisation.
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

/** Finds an account, also a revoked one. The identifier must be a UUID. */
export async function findServiceAccount(
  pool: pg.Pool,
  serviceAccountId: string,
): Promise<StoredServiceAccount | undefined> {
  const { rows } = await pool.query<StoredServiceAccount>({
    name: "find-service-account",
    text: `${select} where service_account_id = $1`,
    values: [serviceAccountId],
  });
  return rows[0];
}

/** Lists all accounts, oldest first: a few hundred at most, since each is made by hand. */
export async function listServiceAccounts(pool: pg.Pool): Promise<StoredServiceAccount[]> {
  const { rows } = await pool.query<StoredServiceAccount>(
    `${select} order by service_accounts.created_at, service_account_id`,
  );
  return rows;
}
