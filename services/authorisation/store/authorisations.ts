/**
 * Stores authorisations: what each token grants. Every token has the ID of one. They are the larger
 * part of the audit log; store/audit-events.ts has the rest.
 */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { BusyError } from "../limits/busy-error.ts";
import type { Details } from "../model/authorization-details.ts";
import { acceptedSecondsMax } from "../model/lifetimes.ts";
import { inBatches } from "./batches.ts";
import { recordIdHash } from "./provider-records.ts";
import { pruneRows } from "./prune-rows.ts";
import { hasSid } from "./sessions.ts";

/** An authorisation before it has its IDs. */
export interface NewAuthorisation {
  grantType: string;
  clientId: string;
  applicationId: string;
  organisationId: string;
  /** A URN. */
  subject: string;
  audience: string;
  scopes: string[];
  /** The limits of the token (RFC 9396); left out: none. */
  authorizationDetails?: Details;
  /** The record of the token that was exchanged for this one. */
  sourceAuthorisationId?: string | undefined;
  /** The IP address of the caller. */
  address: string;
  /** The ID of the person's grant in oidc-provider; left out if no person was asked. */
  grantId?: string | undefined;
  /** The claim `sid` of the token: the session in which the person consented. */
  sid?: string | undefined;
  /** The same session, if the token may outlive it. `sid` is dropped if the session has ended. */
  sessionUid?: string | undefined;
}

/** A row of the table. */
export interface Authorisation extends NewAuthorisation {
  /** UUID. */
  authorisationId: string;
  /** The claim `jti` of the token. UUID. */
  tokenId: string;
}

/**
 * A grant has at most so many valid tokens. When it ends, each gets an entry of the denylist, which
 * has an end.
 */
const tokensOfGrantMax = 900;

/** The person's grant has been revoked. */
export class GrantRevokedError extends Error {
  override name = "GrantRevokedError";
}

/**
 * Records what a token will grant. No token may be issued without it. It resolves when the record
 * is committed.
 *
 * Rejects with a GrantRevokedError if the person's grant is revoked. If it ends at the same moment,
 * endAccess waits for this record, and then revokes its token too.
 */
export type RecordAuthorisation = (newAuthorisation: NewAuthorisation) => Promise<Authorisation>;

/** Makes a {@link RecordAuthorisation}. It records the tokens of programs in batches. */
export function authorisationRecorder(pool: pg.Pool): RecordAuthorisation {
  const recordForProgram = inBatches((rows: readonly AuthorisationRow[]) => insert(pool, rows));

  return async (newAuthorisation) => {
    const ids = { authorisationId: randomUUID(), tokenId: randomUUID() };
    const authorisation = { ...newAuthorisation, ...ids };
    // The statement for a person may wait for the lock of the grant, and a batch would wait too.
    const { grantId } = newAuthorisation;
    if (grantId !== undefined) return await insertOfGrant(pool, authorisation, grantId);
    await recordForProgram(rowOf(authorisation));
    return authorisation;
  };
}

const columnsButSid = `authorisation_id, grant_type, client_id, application_id,
  organisation_id, subject, audience, scopes, authorization_details, source_authorisation_id,
  address, token_id, grant_id`;
const columns = `${columnsButSid}, sid`;

/** A row as JSON, with the names of the columns. */
type AuthorisationRow = ReturnType<typeof rowOf>;

function rowOf(authorisation: Authorisation) {
  return {
    authorisation_id: authorisation.authorisationId,
    grant_type: authorisation.grantType,
    client_id: authorisation.clientId,
    application_id: authorisation.applicationId,
    organisation_id: authorisation.organisationId,
    subject: authorisation.subject,
    audience: authorisation.audience,
    scopes: authorisation.scopes,
    authorization_details: authorisation.authorizationDetails,
    source_authorisation_id: authorisation.sourceAuthorisationId,
    address: authorisation.address,
    token_id: authorisation.tokenId,
    sid: authorisation.sid,
    grant_id: authorisation.grantId,
  };
}

const rowsOfJson = "json_populate_recordset(null::auth.authorisations, $1)";

async function insert(pool: pg.Pool, rows: readonly AuthorisationRow[]) {
  await pool.query({
    name: "record-authorisations",
    text: `insert into auth.authorisations (${columns}) select ${columns} from ${rowsOfJson}`,
    values: [JSON.stringify(rows)],
  });
  return rows;
}

async function insertOfGrant(
  pool: pg.Pool,
  authorisation: Authorisation,
  grantId: string,
): Promise<Authorisation> {
  const { rows } = await pool.query<{ sid: string | null }>({
    name: "record-authorisation-of-grant",
    text: `
      with held as (
        select from auth.provider_records where model = 'Grant' and id_hash = $2
          and (select count(*) from (
            select from auth.authorisations
            where grant_id = $4 and issued_at > now() - make_interval(secs => ${acceptedSecondsMax})
            limit ${tokensOfGrantMax}) as valid) < ${tokensOfGrantMax}
        for key share
      )
      insert into auth.authorisations (${columns})
      select ${columnsButSid}, case when $3::text is null or exists (
        select from auth.provider_records
        where model = 'Session' and uid = $3 and ${hasSid("sid")}
      ) then sid end
      from held, ${rowsOfJson}
      returning sid`,
    values: [
      JSON.stringify([rowOf(authorisation)]),
      recordIdHash(grantId),
      authorisation.sessionUid,
      grantId,
    ],
  });
  const [row] = rows;
  if (row === undefined) {
    const { rowCount } = await pool.query(
      "select from auth.provider_records where model = 'Grant' and id_hash = $1",
      [recordIdHash(grantId)],
    );
    if (rowCount === 1) throw new BusyError(429, "the login has too many valid tokens", 60);
    throw new GrantRevokedError("Cannot issue a token: its grant is revoked");
  }
  return { ...authorisation, sid: row.sid ?? undefined };
}

/** Finds the ID of the person's grant that a record rests on, if any. */
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

/** Removes a batch of records older than `keptDays`. Returns how many. Safe to run concurrently. */
export function pruneAuthorisations(pool: pg.Pool, keptDays: number): Promise<number> {
  return pruneRows(
    pool,
    { table: "auth.authorisations", id: "authorisation_id", time: "issued_at" },
    keptDays,
  );
}
