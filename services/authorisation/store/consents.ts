/** Stores what people have allowed clients, so that they are asked once. */
import type pg from "pg";

export interface Consent {
  /** A resource server's identifier; empty for the scopes of OpenID Connect. */
  resource: string;
  scopes: string[];
}

/** Finds the consents of a person to a client, both by UUID. */
export async function findConsents(
  pool: pg.Pool,
  accountId: string,
  clientId: string,
): Promise<Consent[]> {
  const { rows } = await pool.query<Consent>({
    name: "find-consents",
    text: "select resource, scopes from auth.consents where account_id = $1 and client_id = $2",
    values: [accountId, clientId],
  });
  return rows;
}

/** Adds consents of a person to a client. */
export async function storeConsents(
  pool: pg.Pool,
  accountId: string,
  clientId: string,
  consents: readonly Consent[],
): Promise<void> {
  for (const { resource, scopes } of consents) {
    await pool.query(
      `insert into auth.consents (account_id, client_id, resource, scopes)
       values ($1, $2, $3, $4)
       on conflict (account_id, client_id, resource) do update set scopes = array(
         select distinct unnest(consents.scopes || excluded.scopes))`,
      [accountId, clientId, resource, scopes],
    );
  }
}

export interface ListedConsent extends Consent {
  loginName: string;
  clientId: string;
  clientName: string;
}

/** A client that a person has allowed something. */
export interface AllowedClient {
  clientId: string;
  name: string;
  scopes: string[];
  /** When the person first consented. */
  givenAt: Date;
}

/** Lists the clients that a person has allowed something, by name. */
export async function listAllowedClients(
  pool: pg.Pool,
  accountId: string,
): Promise<AllowedClient[]> {
  const { rows } = await pool.query<AllowedClient>({
    name: "list-allowed-clients",
    text: `select client_id as "clientId", client.name, array_agg(distinct scope) as scopes,
        min(given_at) as "givenAt"
      from auth.consents consent cross join unnest(consent.scopes) scope
      join auth.clients client using (client_id)
      where account_id = $1 group by client_id, client.name order by client.name, client_id
      limit 1000`,
    values: [accountId],
  });
  return rows;
}

/** Lists at most `limit` consents, by login name and client. */
export async function listConsents(
  pool: pg.Pool,
  filter: { loginName?: string | undefined; clientId?: string | undefined },
  limit: number,
): Promise<ListedConsent[]> {
  const { rows } = await pool.query<ListedConsent>(
    `select login_name as "loginName", consent.client_id as "clientId",
       client.name as "clientName", resource, consent.scopes
     from auth.consents consent join auth.accounts using (account_id)
     join auth.clients client using (client_id)
     where ($1::text is null or login_name = $1) and ($2::uuid is null or client_id = $2)
     order by login_name, client.name, client_id, resource limit $3`,
    [filter.loginName, filter.clientId, limit],
  );
  return rows;
}
