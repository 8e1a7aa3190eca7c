/** Stores the clients. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { findInBatches } from "./batches.ts";
import { insertSecret, secretHashesColumn } from "./client-secrets.ts";
import { ConflictError, ensureApplication } from "./organisations.ts";
import { removeGrants, removeRecords } from "./provider-records.ts";

export interface ClientRecord {
  clientId: string;
  applicationId: string;
  organisationId: string;
  /** The display name; may be empty. */
  name: string;
  /** The scopes it may be granted. */
  scopes: string[];
  /** OAuth's names. */
  grantTypes: string[];
  /** Empty for a client that acts only for itself. */
  redirectUris: string[];
  postLogoutRedirectUris: string[];
  backChannelLogoutUri: string | null;
  /** The key that it authenticates with, SPKI in PEM; none: it has a secret, or is public. */
  publicKeyPem?: string | null;
  /** Whether it is a native application (RFC 8252). */
  isNative: boolean;
  /** Whether it needs no consent of the people it acts for. */
  isFirstParty: boolean;
  /** Whether the people of every organisation may use it. */
  isForAnyOrganisation: boolean;
}

export interface StoredClient extends ClientRecord {
  /** Whether it has neither a secret nor a key. */
  isPublic: boolean;
  /** See model/keyed-hash.ts and model/scrypt-hash.ts. */
  secretHashes: string[];
}

/** Finds a client by its identifier, which must be a UUID, unless it is disabled. */
export type FindClient = (clientId: string) => Promise<StoredClient | undefined>;

/** Makes a {@link FindClient}, which looks for the clients of concurrent requests together. */
export function clientFinder(pool: pg.Pool): FindClient {
  const statement = {
    name: "find-clients",
    text: `
      select ${columns}, is_public as "isPublic", ${secretHashesColumn} as "secretHashes"
      from auth.clients join auth.applications using (application_id)
        join auth.organisations using (organisation_id)
      where client_id = any($1)
        and clients.disabled_at is null and organisations.disabled_at is null`,
  };
  return findInBatches<StoredClient>(pool, statement, ({ clientId }) => clientId);
}

/** Finds the redirect URIs of the clients for people of an organisation, native ones left out. */
export async function findReturnUris(pool: pg.Pool, organisationId: string): Promise<string[]> {
  const { rows } = await pool.query<{ uri: string }>(
    `select distinct unnest(redirect_uris) as uri
     from auth.clients join auth.applications using (application_id)
     where (organisation_id = $1 or is_for_any_organisation)
       and not is_native and disabled_at is null`,
    [organisationId],
  );
  return rows.map(({ uri }) => uri);
}

const columns = `
  client_id as "clientId", application_id as "applicationId", organisation_id as "organisationId",
  name, scopes, grant_types as "grantTypes", redirect_uris as "redirectUris",
  post_logout_redirect_uris as "postLogoutRedirectUris",
  back_channel_logout_uri as "backChannelLogoutUri", is_native as "isNative",
  is_first_party as "isFirstParty", is_for_any_organisation as "isForAnyOrganisation",
  public_key_pem as "publicKeyPem"`;

/** A client without the hashes of its secrets. */
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
  isFirstParty: boolean;
  isForAnyOrganisation: boolean;
  createdAt: Date;
  /** Null: it is enabled. */
  disabledAt: Date | null;
}

/** Lists all clients, oldest first. There are a few hundred at most: people add them. */
export async function listClients(pool: pg.Pool): Promise<ListedClient[]> {
  const { rows } = await pool.query<ListedClient>(`
    select client_id as "clientId", organisation_id as "organisationId",
      application_id as "applicationId", name, scopes, grant_types as "grantTypes",
      redirect_uris as "redirectUris", is_public as "isPublic",
      is_first_party as "isFirstParty", is_for_any_organisation as "isForAnyOrganisation",
      clients.created_at as "createdAt", clients.disabled_at as "disabledAt"
    from auth.clients join auth.applications using (application_id)
    order by clients.created_at, client_id`);
  return rows;
}

/**
 * Adds a client, and its application and organisation if they are new. Without the hash of a secret
 * and without a key it is public.
 *
 * @throws ConflictError if the client exists, or the application belongs to another organisation
 */
export async function addClient(
  pool: pg.Pool,
  client: ClientRecord,
  secretHash: string | undefined,
): Promise<void> {
  await inTransaction(pool, async (connection) => {
    await ensureApplication(connection, client);
    const isPublic = secretHash === undefined && !client.publicKeyPem;
    await insertClient(connection, { ...client, isPublic });
    if (secretHash !== undefined) await insertSecret(connection, client.clientId, secretHash);
  });
}

async function insertClient(
  connection: pg.ClientBase,
  client: ClientRecord & { isPublic: boolean },
): Promise<void> {
  const { rowCount } = await connection.query(
    `insert into auth.clients (client_id, application_id, name, is_public, scopes, grant_types,
       redirect_uris, post_logout_redirect_uris, back_channel_logout_uri, is_native,
       is_first_party, is_for_any_organisation, public_key_pem)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict do nothing`,
    [
      client.clientId,
      client.applicationId,
      client.name,
      client.isPublic,
      client.scopes,
      client.grantTypes,
      client.redirectUris,
      client.postLogoutRedirectUris,
      client.backChannelLogoutUri,
      client.isNative,
      client.isFirstParty,
      client.isForAnyOrganisation,
      client.publicKeyPem,
    ],
  );
  if (rowCount !== 1) {
    throw new ConflictError(
      `Cannot add the client: ${client.clientId} exists already, need another id or its removal`,
    );
  }
}

/** What can be changed of a client. */
export type ClientChanges = Partial<
  Omit<
    ClientRecord,
    "clientId" | "applicationId" | "organisationId" | "grantTypes" | "isNative" | "publicKeyPem"
  >
>;

/**
 * Changes a client, disabled or not. Returns it as it is then; undefined if it does not exist. One
 * that is no longer first-party loses its grants: nobody was asked for them.
 *
 * @param check throws if the client would not be as clients must be
 */
export async function updateClient(
  pool: pg.Pool,
  clientId: string,
  changes: ClientChanges,
  check: (client: ClientRecord) => void,
): Promise<ClientRecord | undefined> {
  return await inTransaction(pool, async (connection) => {
    const { rows } = await connection.query<ClientRecord>(
      `select ${columns} from auth.clients join auth.applications using (application_id)
       where client_id = $1 for no key update of clients`,
      [clientId],
    );
    if (rows[0] === undefined) return undefined;
    const client = { ...rows[0], ...changes };
    check(client);
    await connection.query(
      `update auth.clients set name = $2, scopes = $3, redirect_uris = $4,
         post_logout_redirect_uris = $5, back_channel_logout_uri = $6, is_first_party = $7,
         is_for_any_organisation = $8
       where client_id = $1`,
      [
        clientId,
        client.name,
        client.scopes,
        client.redirectUris,
        client.postLogoutRedirectUris,
        client.backChannelLogoutUri,
        client.isFirstParty,
        client.isForAnyOrganisation,
      ],
    );
    if (rows[0].isFirstParty && !client.isFirstParty) await removeGrants(connection, { clientId });
    return client;
  });
}

/**
 * Removes a client with its codes and refresh tokens: a later client with the same ID may be
 * another one. Its application and its audit records remain. Returns false if there is no client
 * with this UUID.
 */
export async function removeClient(pool: pg.Pool, clientId: string): Promise<boolean> {
  return await inTransaction(pool, async (connection) => {
    // This removes the consents, too: all transactions lock them before the grants.
    const { rowCount } = await connection.query("delete from auth.clients where client_id = $1", [
      clientId,
    ]);
    await removeRecords(connection, { clientId });
    return rowCount === 1;
  });
}
