/** Stores the clients. */

import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { ConflictError, ensureApplication } from "./organisations.ts";

export interface ClientRecord {
  clientId: string;
  applicationId: string;
  organisationId: string;
  /** The display name; may be empty. */
  name: string;
  /** See model/scrypt-hash.ts. Null: a public client, which has no secret. */
  secretHash: string | null;
  /** The scopes it may be granted. */
  scopes: string[];
  /** OAuth's names. */
  grantTypes: string[];
  /** Empty for a client that acts only for itself. */
  redirectUris: string[];
  postLogoutRedirectUris: string[];
  backChannelLogoutUri: string | null;
  /** Whether it is a native application (RFC 8252). */
  isNative: boolean;
}

/** Finds a client by its identifier, which must be a UUID. */
export async function findClient(
  pool: pg.Pool,
  clientId: string,
): Promise<ClientRecord | undefined> {
  const { rows } = await pool.query<ClientRecord>({
    name: "find-client",
    text: `
      select client_id as "clientId", application_id as "applicationId",
        organisation_id as "organisationId", name, secret_hash as "secretHash", scopes,
        grant_types as "grantTypes", redirect_uris as "redirectUris",
        post_logout_redirect_uris as "postLogoutRedirectUris",
        back_channel_logout_uri as "backChannelLogoutUri", is_native as "isNative"
      from auth.clients join auth.applications using (application_id)
      where client_id = $1`,
    values: [clientId],
  });
  return rows[0];
}

/** A client without the hash of its secret. */
export interface ListedClient {
  clientId: string;
  organisationId: string;
  applicationId: string;
  name: string;
  scopes: string[];
  grantTypes: string[];
  redirectUris: string[];
  /** Whether it has no secret. */
  isPublic: boolean;
  createdAt: Date;
}

/** Lists all clients, oldest first. There are a few hundred at most: people add them. */
export async function listClients(pool: pg.Pool): Promise<ListedClient[]> {
  const { rows } = await pool.query<ListedClient>(`
    select client_id as "clientId", organisation_id as "organisationId",
      application_id as "applicationId", name, scopes, grant_types as "grantTypes",
      redirect_uris as "redirectUris", secret_hash is null as "isPublic",
      clients.created_at as "createdAt"
    from auth.clients join auth.applications using (application_id)
    order by clients.created_at, client_id`);
  return rows;
}

/**
 * Adds a client, and its application and organisation if they are new.
 *
 * @throws ConflictError if the client exists, or the application belongs to another organisation
 */
export async function addClient(pool: pg.Pool, client: ClientRecord): Promise<void> {
  await inTransaction(pool, async (connection) => {
    await ensureApplication(connection, client);
    await insertClient(connection, client);
  });
}

async function insertClient(connection: pg.ClientBase, client: ClientRecord) {
  const { rowCount } = await connection.query(
    `insert into auth.clients (client_id, application_id, name, secret_hash, scopes, grant_types,
       redirect_uris, post_logout_redirect_uris, back_channel_logout_uri, is_native)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing`,
    [
      client.clientId,
      client.applicationId,
      client.name,
      client.secretHash,
      client.scopes,
      client.grantTypes,
      client.redirectUris,
      client.postLogoutRedirectUris,
      client.backChannelLogoutUri,
      client.isNative,
    ],
  );
  if (rowCount !== 1) {
    throw new ConflictError(
      `Cannot add the client: ${client.clientId} exists already, need another id or its removal`,
    );
  }
}

/**
 * Removes a client with its codes and refresh tokens: a later client with the same ID may be
 * another one. Its application and its audit records remain. Returns false if there is no client
 * with this UUID.
 */
export async function removeClient(pool: pg.Pool, clientId: string): Promise<boolean> {
  return await inTransaction(pool, async (connection) => {
    await connection.query("delete from auth.provider_records where client_id = $1", [clientId]);
    const { rowCount } = await connection.query("delete from auth.clients where client_id = $1", [
      clientId,
    ]);
    return rowCount === 1;
  });
}
