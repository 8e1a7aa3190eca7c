/**
 * Ends sessions. One transaction removes a session with all that rests on it, puts its tokens on
 * the denylist, and records which clients to tell.
 */
import { addDenylistEntry } from "@stowage/access-token/postgres";
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { acceptedSecondsMax } from "../model/lifetimes.ts";
import type { SessionPayload } from "../model/session.ts";
import { addLogoutNotices, type EndedSession } from "./logout-notices.ts";
import { recordIdHash } from "./provider-records.ts";
import { findSessionUid } from "./session-ids.ts";

/** Ends a session, by any of its cookie IDs, if it exists. Offline access outlives it. */
export async function endSession(pool: pg.Pool, cookieId: string): Promise<void> {
  await inTransaction(pool, async (connection) => {
    const sessionUid = await findSessionUid(connection, cookieId);
    if (sessionUid !== undefined) await endSessionByUid(connection, sessionUid);
  });
}

/** Ends a session by its UID, in a transaction of the caller. Returns false if there is none. */
export async function endSessionByUid(
  connection: pg.ClientBase,
  sessionUid: string,
): Promise<boolean> {
  const { rows } = await connection.query<SessionRow>(
    `delete from auth.provider_records where model = 'Session' and uid = $1 returning payload`,
    [sessionUid],
  );
  const [session] = rows;
  if (session === undefined) return false;
  const { rows: grants } = await connection.query<{ grantId: string }>(
    `select grant_id as "grantId" from auth.provider_records
     where model = 'SessionGrant' and uid = $1`,
    [sessionUid],
  );
  const parts = Object.values(session.payload.authorizations ?? {});
  const offline = parts.filter((part) => part.persistsLogout).map(({ grantId }) => grantId);
  const ended = [...parts, ...grants]
    .map(({ grantId }) => grantId)
    .filter((grantId) => grantId !== undefined && !offline.includes(grantId));
  // The locks in the order that removeGrants describes: notices lock their clients.
  await endWithClients(connection, sessionsWithClients(session));
  await connection.query(
    "delete from auth.provider_records where model = 'Grant' and id_hash = any($1)",
    [ended.map((grantId) => recordIdHash(String(grantId)))],
  );
  await connection.query(
    `delete from auth.provider_records
     where (grant_id = any($1) and model <> 'Interaction')
       or (uid = $2 and model in ('CookieId', 'SessionGrant'))`,
    [ended, sessionUid],
  );
  return true;
}

/** Ends all sessions of a person, in a transaction of the caller, which removes the rest. */
export async function endSessionsOf(connection: pg.ClientBase, subject: string): Promise<void> {
  const { rows } = await connection.query<SessionRow>(
    `delete from auth.provider_records where model = 'Session' and account_id = $1
     returning payload`,
    [subject],
  );
  await endWithClients(connection, rows.flatMap(sessionsWithClients));
}

/** Signs out the clients that had a part in a session before a change, and have none after it. */
export async function endParts(
  connection: pg.ClientBase,
  before: SessionPayload,
  after: SessionPayload,
): Promise<void> {
  const kept = Object.values(after.authorizations ?? {}).map(({ sid }) => sid);
  const ended = sessionsWithClients({ payload: before }).filter(({ sid }) => !kept.includes(sid));
  if (ended.length === 0) return;
  await endWithClients(connection, ended);
  await connection.query(
    `delete from auth.provider_records
     where model = 'SessionGrant' and uid = $1 and client_id = any($2)`,
    [before.uid, ended.map(({ clientId }) => clientId)],
  );
}

interface SessionRow {
  payload: SessionPayload;
}

/** The parts of a session, by client. */
function sessionsWithClients({ payload }: SessionRow): EndedSession[] {
  const { accountId: subject, authorizations = {} } = payload;
  if (subject === undefined) return [];
  return Object.entries(authorizations).flatMap(([clientId, { sid }]) =>
    sid === undefined ? [] : { clientId, subject, sid },
  );
}

/** Revokes the tokens of sessions, and records which clients to tell. */
async function endWithClients(connection: pg.ClientBase, ended: EndedSession[]): Promise<void> {
  if (ended.length === 0) return;
  // A token may be issued at the moment when its session ends.
  const expiresAt = Math.floor(Date.now() / 1000) + acceptedSecondsMax;
  for (const { sid } of ended) {
    await addDenylistEntry(connection, { kind: "sid", value: sid, expiresAt });
  }
  await addLogoutNotices(connection, ended);
}
