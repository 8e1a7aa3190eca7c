/** Finds what operators and people name, and ends that access. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import type { SessionPayload } from "../model/session.ts";
import { subjectOf } from "../model/subjects.ts";
import { endAccess } from "./end-access.ts";
import { endSessionByUid } from "./end-sessions.ts";
import { hasSid } from "./sessions.ts";

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
  await inTransaction(pool, async (connection) => {
    for (const sessionUid of sessionUids) await endSessionByUid(connection, sessionUid);
    for (const grantId of [...all].sort()) await endAccess(connection, { grantId });
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
 * Withdraws the consents of a person to a client, and ends the grants and tokens. The client has to
 * ask again. Returns false if there was nothing.
 */
export async function withdrawConsents(
  pool: pg.Pool,
  accountId: string,
  clientId: string,
): Promise<boolean> {
  return await inTransaction(pool, async (connection) => {
    const { rowCount } = await connection.query(
      "delete from auth.consents where account_id = $1 and client_id = $2",
      [accountId, clientId],
    );
    const hadGrant = await endAccess(connection, { subject: subjectOf(accountId), clientId });
    return hadGrant || (rowCount ?? 0) > 0;
  });
}
