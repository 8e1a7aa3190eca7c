/** One client, with the application and the organisation it belongs to. */
import type pg from "pg";

/** A client as stored. */
export interface ClientRecord {
  clientId: string;
  applicationId: string;
  organisationId: string;
  /** What people call it; may be empty. */
  name: string;
  /** See clients/client-secret.ts. Null: a public client, which has no secret. */
  secretHash: string | null;
  /** The scopes it may be granted. */
  scopes: string[];
  /** As the token endpoint knows them. */
  grantTypes: string[];
  /** Where people may be sent back to; empty for a client that acts for nobody but itself. */
  redirectUris: string[];
  /** Where they may be sent after a logout. */
  postLogoutRedirectUris: string[];
  /** Where it is told that a session has ended. */
  backChannelLogoutUri: string | null;
  /** Whether it runs on people's devices (RFC 8252), outside of a browser. */
  isNative: boolean;
}

/** Finds a client by its exact identifier. `clientId` must be a UUID. */
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
