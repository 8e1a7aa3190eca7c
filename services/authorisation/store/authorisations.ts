/** The audit trail: every token carries the identifier of a row written here. */
import { randomUUID } from "node:crypto";
import type { Denylist } from "@stowage/access-token";
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import type { Details } from "../authorization-details/narrow-details.ts";
import { acceptedSecondsMax } from "../model/lifetimes.ts";
import { recordIdHash } from "./provider-records.ts";

/** Who was granted what. */
export interface Grant {
  /** The OAuth grant type, as asked for at the token endpoint. */
  grantType: string;
  clientId: string;
  applicationId: string;
  organisationId: string;
  /** The URN of whom the token speaks for. */
  subject: string;
  audience: string;
  scopes: string[];
  /** What the token is limited to (RFC 9396); left out: to nothing. */
  authorizationDetails?: Details;
  /** The record of the token that this one is exchanged for. */
  sourceAuthorisationId?: string | undefined;
  /** The IP address that the request came from. */
  address: string;
  /** What the person has allowed, by oidc-provider's ID; left out where none was asked. */
  grantId?: string | undefined;
  /** The session in which the person did; left out where there was none. */
  sessionId?: string | undefined;
}

/** A grant on record. */
export interface Authorisation extends Grant {
  /** UUID. */
  authorisationId: string;
  /** The claim `jti` of the token. UUID. */
  tokenId: string;
}

/** The grant that a token was to come of has been revoked meanwhile. */
export class GrantRevokedError extends Error {
  override name = "GrantRevokedError";
}

/**
 * Writes down what is about to be granted. No token may leave without it.
 *
 * @throws GrantRevokedError when the grant is no more. One that is revoked at the same moment waits
 * until this is on record, and so finds the token.
 */
export async function recordAuthorisation(pool: pg.Pool, grant: Grant): Promise<Authorisation> {
  const authorisationId = randomUUID();
  const tokenId = randomUUID();
  const { authorizationDetails, sourceAuthorisationId, grantId } = grant;
  const { rowCount } = await pool.query({
    name: grantId === undefined ? "record-authorisation" : "record-authorisation-of-grant",
    text: grantId === undefined ? `${insert} values (${values})` : insertOfGrant,
    values: [
      authorisationId,
      grant.grantType,
      grant.clientId,
      grant.applicationId,
      grant.organisationId,
      grant.subject,
      grant.audience,
      grant.scopes,
      authorizationDetails === undefined ? null : JSON.stringify(authorizationDetails),
      sourceAuthorisationId ?? null,
      grant.address,
      tokenId,
      grant.sessionId ?? null,
      ...(grantId === undefined ? [] : [grantId, recordIdHash(grantId)]),
    ],
  });
  if (rowCount !== 1) throw new GrantRevokedError(`Cannot issue a token: its grant is revoked`);
  return { ...grant, authorisationId, tokenId };
}

const values = "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13";

const columns = `authorisation_id, grant_type, client_id, application_id, organisation_id, subject,
  audience, scopes, authorization_details, source_authorisation_id, address, token_id,
  session_id`;

const insert = `insert into auth.authorisations (${columns})`;

const insertOfGrant = `
  with held as (
    select from auth.provider_records where model = 'Grant' and id_hash = $15 for key share
  )
  insert into auth.authorisations (${columns}, grant_id) select ${values}, $14 from held`;

/** Gives the grant's ID; undefined where nobody was asked. `authorisationId` must be a UUID. */
export async function findGrantOf(
  pool: pg.Pool,
  authorisationId: string,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ grantId: string | null }>({
    name: "find-grant-of",
    text: `select grant_id as "grantId" from auth.authorisations where authorisation_id = $1`,
    values: [authorisationId],
  });
  return rows[0]?.grantId ?? undefined;
}

/**
 * Revokes a grant: its codes and refresh tokens are gone, its access tokens on the denylist. When
 * it rejects, the grant still stands, and the one who asked should ask again.
 */
export async function revokeGrant(
  pool: pg.Pool,
  denylist: Pick<Denylist, "add">,
  grantId: string,
): Promise<void> {
  await inTransaction(pool, async (connection) => {
    // From here on no token can be issued: see record-authorisation.ts.
    await connection.query(
      "select from auth.provider_records where model = 'Grant' and id_hash = $1 for update",
      [recordIdHash(grantId)],
    );
    for (const { tokenId, issuedAt } of await validTokens(connection, grantId)) {
      await denylist.add({ kind: "jti", value: tokenId, expiresAt: issuedAt + acceptedSecondsMax });
    }
    await connection.query(
      // People who are being asked something at this moment can go on: it leads to another grant.
      `delete from auth.provider_records
       where (grant_id = $1 and model <> 'Interaction') or (model = 'Grant' and id_hash = $2)`,
      [grantId, recordIdHash(grantId)],
    );
  });
}

// Its record is a little older than a token.
async function validTokens(connection: pg.ClientBase, grantId: string) {
  const { rows } = await connection.query<{ tokenId: string; issuedAt: number }>(
    `select token_id as "tokenId", floor(extract(epoch from issued_at))::float8 as "issuedAt"
     from auth.authorisations
     where grant_id = $1 and issued_at > now() - make_interval(secs => ${acceptedSecondsMax})`,
    [grantId],
  );
  return rows;
}

/** Rows removed in one go: well under a second of work, whoever else uses the table. */
const rowsMax = 10_000;

/**
 * Removes the oldest records, those granted more than `keptDays` ago, and at most 10,000 of them.
 * Gives how many. Processes that do so at the same moment take different ones.
 */
export async function pruneAuthorisations(pool: pg.Pool, keptDays: number): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from auth.authorisations where authorisation_id in (
       select authorisation_id from auth.authorisations
       where issued_at < now() - make_interval(days => $1)
       order by issued_at limit ${rowsMax}
       for update skip locked)`,
    [keptDays],
  );
  return rowCount ?? 0;
}
