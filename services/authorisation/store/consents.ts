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
