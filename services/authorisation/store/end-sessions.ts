/**
 * Ends sessions. One transaction removes a session with all that rests on it, puts its tokens on
 * the denylist, and records which clients to tell. The record stays for an hour, empty and marked:
 * requests that have read the session before must not store it again.
 */
import { addDenylistEntry } from "@stowage/access-token/postgres";
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { acceptedSecondsMax } from "../model/lifetimes.ts";
import type { SessionPayload } from "../model/session.ts";
import { addLogoutNotices, type EndedSession } from "./logout-notices.ts";
import { recordIdHash } from "./provider-records.ts";

/** Ends a session by its ID. Returns who was signed in, if anybody was. Offline access stays. */
export async function endSession(pool: pg.Pool, id: string): Promise<string | undefined> {
  return await inTransaction(pool, async (connection) => {
    const { rows } = await connection.query<{ uid: string; accountId: string | null }>(
      `select uid, account_id as "accountId" from auth.provider_records
       where model = 'Session' and id_hash = $1`,
      [recordIdHash(id)],
    );
    const [session] = rows;
    const isEnded = session !== undefined && (await endSessionByUid(connection, session.uid));
    return isEnded ? (session.accountId ?? undefined) : undefined;
  });
}

/** Ends a session by its UID, in a transaction of the caller. Returns false if there is none. */
export async function endSessionByUid(
  connection: pg.ClientBase,
  sessionUid: string,
): Promise<boolean> {
  const [payload] = await markEnded(connection, "uid", sessionUid);
  if (payload === undefined) return false;
  // The locks in the order that removeGrants describes: notices lock their clients.
  await endWithClients(connection, partsOf(payload));
  const offline = Object.values(payload.authorizations ?? {})
    .filter((part) => part.persistsLogout)
    .map(({ grantId }) => grantId);
  // From now on these are logins of their own.
  await connection.query(
    `update auth.provider_records set uid = null
     where model = 'Grant' and uid = $1 and grant_id = any($2)`,
    [sessionUid, offline],
  );
  const { rows } = await connection.query<{ grantId: string }>(
    `delete from auth.provider_records where model = 'Grant' and uid = $1
     returning grant_id as "grantId"`,
    [sessionUid],
  );
  await connection.query(
    "delete from auth.provider_records where grant_id = any($1) and model <> 'Interaction'",
    [rows.map(({ grantId }) => grantId)],
  );
  return true;
}

/** Ends all sessions of a person, in a transaction of the caller, which removes the rest. */
export async function endSessionsOf(connection: pg.ClientBase, subject: string): Promise<void> {
  const ended = await markEnded(connection, "account_id", subject);
  await endWithClients(connection, ended.flatMap(partsOf));
}

/**
 * Signs a client out, and leaves the session as it is. Returns false if the client has no part in
 * it. The caller revokes the grant.
 */
export async function endPart(
  pool: pg.Pool,
  sessionUid: string,
  clientId: string,
): Promise<boolean> {
  return await inTransaction(pool, async (connection) => {
    const { rows } = await connection.query<{ payload: SessionPayload }>(
      `select payload from auth.provider_records
       where model = 'Session' and uid = $1 and consumed_at is null for update`,
      [sessionUid],
    );
    const payload = rows[0]?.payload ?? {};
    const part = partsOf(payload).find((each) => each.clientId === clientId);
    if (part === undefined) return false;
    const authorizations = { ...payload.authorizations, [clientId]: { endedSid: part.sid } };
    await connection.query(
      "update auth.provider_records set payload = $2 where model = 'Session' and uid = $1",
      [sessionUid, JSON.stringify({ ...payload, authorizations })],
    );
    await endWithClients(connection, [part]);
    return true;
  });
}

/** Marks the records of sessions as ended. Returns what they contained. */
async function markEnded(
  connection: pg.ClientBase,
  column: "uid" | "account_id",
  value: string,
): Promise<SessionPayload[]> {
  const { rows } = await connection.query<{ payload: SessionPayload }>(
    `with ended as materialized (
       select id_hash, payload from auth.provider_records
       where model = 'Session' and ${column} = $1 and consumed_at is null
       order by id_hash for update)
     update auth.provider_records session
     set payload = '{}', account_id = null, consumed_at = now(),
       expires_at = now() + interval '1 hour'
     from ended where model = 'Session' and session.id_hash = ended.id_hash
     returning ended.payload`,
    [value],
  );
  return rows.map(({ payload }) => payload);
}

/** The clients that know the session, and by which name. */
function partsOf({ accountId: subject, authorizations = {} }: SessionPayload): EndedSession[] {
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
