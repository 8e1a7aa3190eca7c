/** The audit trail: every token carries the identifier of a row written here. */
import { randomUUID } from "node:crypto";
import type { AuthorizationDetail } from "@stowage/access-token";
import type pg from "pg";

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
  authorizationDetails?: readonly AuthorizationDetail[] | undefined;
  /** The record of the token that this one is exchanged for. */
  sourceAuthorisationId?: string | undefined;
  /** The IP address that the request came from. */
  address: string;
}

/** A grant on record. */
export interface Authorisation extends Grant {
  /** UUID. */
  authorisationId: string;
}

/** Writes down what is about to be granted. No token may leave without it. */
export async function recordAuthorisation(pool: pg.Pool, grant: Grant): Promise<Authorisation> {
  const authorisationId = randomUUID();
  const { authorizationDetails, sourceAuthorisationId } = grant;
  await pool.query({
    name: "record-authorisation",
    text: `
      insert into auth.authorisations (authorisation_id, grant_type, client_id, application_id,
        organisation_id, subject, audience, scopes, authorization_details,
        source_authorisation_id, address)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
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
    ],
  });
  return { ...grant, authorisationId };
}
