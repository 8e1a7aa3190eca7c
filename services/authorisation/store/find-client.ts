/** One client, with the application and the organisation it belongs to. */
import type pg from "pg";

/** A client as stored. */
export interface ClientRecord {
  clientId: string;
  applicationId: string;
  organisationId: string;
  /** What people call it; may be empty. */
  name: string;
  /** See clients/client-secret.ts. */
  secretHash: string;
  /** The scopes it may be granted. */
  scopes: string[];
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
        organisation_id as "organisationId", name, secret_hash as "secretHash", scopes
      from auth.clients join auth.applications using (application_id)
      where client_id = $1`,
    values: [clientId],
  });
  return rows[0];
}
