/** The audit trail: every token carries the identifier of a row written here. */
import { randomUUID } from "node:crypto";
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
}

/** A grant on record. */
export interface Authorisation extends Grant {
  /** UUID. */
  authorisationId: string;
}

/** Writes down what is about to be granted. No token may leave without it. */
export async function recordAuthorisation(pool: pg.Pool, grant: Grant): Promise<Authorisation> {
  const authorisationId = randomUUID();
  await pool.query({
    name: "record-authorisation",
    text: `
      insert into auth.authorisations (authorisation_id, grant_type, client_id, application_id,
        organisation_id, subject, audience, scopes)
      values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [
      authorisationId,
      grant.grantType,
      grant.clientId,
      grant.applicationId,
      grant.organisationId,
      grant.subject,
      grant.audience,
      grant.scopes,
    ],
  });
  return { ...grant, authorisationId };
}
