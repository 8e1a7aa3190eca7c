/** Every client, oldest first, without its secret's hash. */
import type pg from "pg";

/** A client as people may see it. */
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

/** Lists all clients: a few hundred rows at most, since each is made by hand. */
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
