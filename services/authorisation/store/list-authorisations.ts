/** Lists authorisations, the newest first. */
import type pg from "pg";
import type { Authorisation } from "./authorisations.ts";

/** The conditions of a list. All of them must hold. */
export interface AuthorisationFilter {
  authorisationId?: string | undefined;
  clientId?: string | undefined;
  subject?: string | undefined;
  organisationId?: string | undefined;
  /** The claim `sid` of the token. */
  sid?: string | undefined;
  /** Granted at this time or later. */
  from?: Date | undefined;
  /** Granted before this time. */
  to?: Date | undefined;
}

export interface AuthorisationPage {
  limit: number;
  /** The ID of the last grant of the previous page. */
  after?: string;
}

export interface ListedAuthorisation extends Omit<Authorisation, OptionalMember> {
  issuedAt: Date;
  /** The client's own organisation, if it is for any; null: that of the token. */
  clientOrganisationId: string | null;
  authorizationDetails: object[] | null;
  sourceAuthorisationId: string | null;
  /** The claim `sid` of the token, if any. `--json` names it as `@stowage/access-token` does. */
  sessionId: string | null;
  /** The person's grant that the token rests on, if any. */
  grantId: string | null;
}

type OptionalMember = "authorizationDetails" | "sourceAuthorisationId" | "grantId" | "sid";

export interface ListedAuthorisations {
  authorisations: ListedAuthorisation[];
  /** The value of `after` for the next page; null on the last page. */
  next: string | null;
}

/** Lists a page. Rejects if the grant `after` does not exist; it may have been pruned. */
export async function listAuthorisations(
  pool: pg.Pool,
  filter: AuthorisationFilter,
  { limit, after }: AuthorisationPage,
): Promise<ListedAuthorisations> {
  const values: unknown[] = [];
  const given = (value: unknown) => `$${values.push(value)}`;
  const wanted = Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => conditions[name as keyof AuthorisationFilter](given(value)));
  if (after !== undefined) {
    const position = `${given(await timeOf(pool, after))}::timestamptz, ${given(after)}::uuid`;
    wanted.push(`(issued_at, authorisation_id) < (${position})`);
  }
  const { rows } = await pool.query<ListedAuthorisation>(
    `${select} where ${["true", ...wanted].join(" and ")}
     order by issued_at desc, authorisation_id desc limit ${given(limit + 1)}`,
    values,
  );
  const authorisations = rows.slice(0, limit);
  const isLast = rows.length <= limit;
  return { authorisations, next: isLast ? null : (authorisations.at(-1)?.authorisationId ?? null) };
}

const conditions: Record<keyof AuthorisationFilter, (parameter: string) => string> = {
  authorisationId: (parameter) => `authorisation_id = ${parameter}`,
  clientId: (parameter) => `client_id = ${parameter}`,
  subject: (parameter) => `subject = ${parameter}`,
  organisationId: (parameter) => `organisation_id = ${parameter}`,
  sid: (parameter) => `sid = ${parameter}`,
  from: (parameter) => `issued_at >= ${parameter}`,
  to: (parameter) => `issued_at < ${parameter}`,
};

/** As text, since a Date has no microseconds. */
async function timeOf(pool: pg.Pool, authorisationId: string): Promise<string> {
  const { rows } = await pool.query<{ time: string }>(
    `select to_char(issued_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as time
     from auth.authorisations where authorisation_id = $1`,
    [authorisationId],
  );
  const time = rows[0]?.time;
  if (time === undefined) {
    throw new Error(`Cannot list what follows ${authorisationId}: it is not on record`);
  }
  return time;
}

const select = `
  select authorisation_id as "authorisationId", issued_at as "issuedAt",
    grant_type as "grantType", client_id as "clientId", application_id as "applicationId",
    organisation_id as "organisationId", subject, audience, scopes,
    authorization_details as "authorizationDetails",
    source_authorisation_id as "sourceAuthorisationId", address,
    token_id as "tokenId", sid as "sessionId", grant_id as "grantId",
    (select organisation_id from auth.applications
      where applications.application_id = authorisations.application_id
        and applications.organisation_id <> authorisations.organisation_id
    ) as "clientOrganisationId"
  from auth.authorisations`;
