/** Stores a client, together with its application and organisation where those are new. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { ConflictError, ensureApplication } from "./ensure-application.ts";
import type { ClientRecord } from "./find-client.ts";

/**
 * Adds a client, all or nothing.
 *
 * @throws ConflictError when the client exists already, or when the application belongs to
 * another organisation.
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
