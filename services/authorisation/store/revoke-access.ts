/** Ends access that people have given, so that it does not come back with the next refresh. */
import { addDenylistEntry } from "@stowage/access-token/postgres";
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { acceptedSecondsMax } from "../model/lifetimes.ts";
import type { SessionPayload } from "../model/session.ts";
import { subjectOf } from "../model/subjects.ts";
import { findGrantOf, revokeGrant, revokeTokensForPeople } from "./authorisations.ts";
import { endSessionByUid } from "./end-sessions.ts";
import { removeGrants } from "./provider-records.ts";
import { hasSid } from "./session-ids.ts";

/**
 * Ends the session that a client knows by an ID (`sid`), with the grants and refresh tokens of all
 * its clients, also those with offline access. Works after the session has ended, too. Returns the
 * number of grants.
 */
export async function revokeSession(pool: pg.Pool, sid: string): Promise<number> {
  const { sessionUids, grantIds } = await findSessionBySid(pool, sid);
  const { rows } = await pool.query<{ grantId: string }>(
    `select grant_id as "grantId" from auth.authorisations
     where sid = $1 and grant_id is not null
     union
     select grant_id from auth.provider_records
     where model = any($2) and grant_id is not null and payload->>'sessionUid' = any($3)`,
    [sid, modelsOfLogins, sessionUids],
  );
  const all = new Set([...grantIds, ...rows.map(({ grantId }) => grantId)]);
  for (const grantId of all) await revokeGrant(pool, denylistIn(pool), grantId);
  await inTransaction(pool, async (connection) => {
    for (const sessionUid of sessionUids) await endSessionByUid(connection, sessionUid);
  });
  return all.size;
}

/** These contain the UID of their session. Those of native programs have a grant of their own. */
const modelsOfLogins = ["AuthorizationCode", "DeviceCode", "RefreshToken"];

/** Finds the UID of a session, and the grants that it lists itself, by the `sid` of one client. */
async function findSessionBySid(pool: pg.Pool, sid: string) {
  const { rows } = await pool.query<{ sessionUid: string | null; payload: SessionPayload }>(
    `select coalesce(uid, payload->>'sessionUid') as "sessionUid", payload
     from auth.provider_records
     where (model = 'Session' and ${hasSid("$1")})
       or (model = any($2) and payload->>'sid' = $1)`,
    [sid, modelsOfLogins],
  );
  const parts = rows.flatMap(({ payload }) => Object.values(payload.authorizations ?? {}));
  return {
    sessionUids: [...new Set(rows.flatMap(({ sessionUid }) => sessionUid ?? []))],
    grantIds: parts.flatMap(({ grantId }) => grantId ?? []),
  };
}

/**
 * Ends a session in which a person is signed in. Offline access outlives it. Returns false if there
 * is none.
 *
 * @param subject whose session it must be
 */
export async function endSignedInSession(
  pool: pg.Pool,
  sessionUid: string,
  subject?: string,
): Promise<boolean> {
  return await inTransaction(pool, async (connection) => {
    const { rowCount } = await connection.query(
      `select from auth.provider_records
       where model = 'Session' and uid = $1 and account_id is not null
         and ($2::text is null or account_id = $2)
       for update`,
      [sessionUid, subject],
    );
    return rowCount === 1 && (await endSessionByUid(connection, sessionUid));
  });
}

/** Revokes a grant that a person has given. Returns false if there is none. */
export async function revokeExistingGrant(pool: pg.Pool, grantId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    "select from auth.provider_records where model = 'Grant' and grant_id = $1",
    [grantId],
  );
  if (rowCount !== 1) return false;
  await revokeGrant(pool, denylistIn(pool), grantId);
  return true;
}

/**
 * Revokes the token of an entry in the audit log, and the grant that it rests on, with its other
 * tokens. Returns false if there is no such entry.
 */
export async function revokeAuthorisation(
  pool: pg.Pool,
  authorisationId: string,
): Promise<boolean> {
  const { rows } = await pool.query<{ tokenId: string }>(
    `select token_id as "tokenId" from auth.authorisations where authorisation_id = $1`,
    [authorisationId],
  );
  const [found] = rows;
  if (found === undefined) return false;
  const grantId = await findGrantOf(pool, authorisationId);
  if (grantId !== undefined) await revokeGrant(pool, denylistIn(pool), grantId);
  const expiresAt = Math.floor(Date.now() / 1000) + acceptedSecondsMax;
  await addDenylistEntry(pool, { kind: "jti", value: found.tokenId, expiresAt });
  return true;
}

/**
 * Withdraws the consents of a person to a client, and ends the grants and tokens. The client has to
 * ask again. Returns false if there was nothing.
 */
export async function withdrawConsents(
  pool: pg.Pool,
  accountId: string,
  clientId: string,
): Promise<boolean> {
  const subject = subjectOf(accountId);
  return await inTransaction(pool, async (connection) => {
    const consents = await connection.query(
      "delete from auth.consents where account_id = $1 and client_id = $2",
      [accountId, clientId],
    );
    const grantIds = await removeGrants(connection, { accountId: subject, clientId });
    await revokeTokensForPeople(connection, { subject, clientId, grantIds });
    return (consents.rowCount ?? 0) + grantIds.length > 0;
  });
}

/** The denylist for {@link revokeGrant}. It uses a second connection of the pool. */
function denylistIn(pool: pg.Pool) {
  return { add: (entry: Parameters<typeof addDenylistEntry>[1]) => addDenylistEntry(pool, entry) };
}
