/**
 * Stores sessions. A browser sends several requests at once; each reads the session, changes it and
 * stores it, and must not undo the changes of others.
 */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import type { SessionPart, SessionPayload, SessionRecord } from "../model/session.ts";
import { endParts } from "./end-sessions.ts";
import { storeRecord } from "./provider-records.ts";
import { addCookieId, findSessionUid, supersedeCookieId } from "./session-ids.ts";

/**
 * Stores a session. Only what the request itself has changed is changed, and the parts of clients
 * that it has removed are signed out. Requests that sign a person in at once store one session.
 *
 * Returns false if the browser gets no new cookie ID: the session has ended in the meantime and
 * stays so, or the cookie ID that the browser has shown was superseded long ago.
 *
 * @param address of the caller, or its network
 */
export async function storeSession(
  pool: pg.Pool,
  session: SessionRecord,
  address: string,
): Promise<boolean> {
  return await inTransaction(pool, async (connection) => {
    const { cookieId, cookieIdBefore, payload, expiresInSeconds } = session;
    const sessionUid =
      cookieIdBefore === undefined ? payload.uid : await findSessionUid(connection, cookieIdBefore);
    const before = sessionUid === undefined ? undefined : await lockSession(connection, sessionUid);
    if (before === undefined) {
      if (cookieIdBefore !== undefined) return false;
      await insertSession(connection, session, address);
      return true;
    }
    const merged = mergedPayload(before.payload, session);
    await endParts(connection, before.payload, merged);
    await connection.query(
      "update auth.provider_records set payload = $2 where model = 'Session' and uid = $1",
      [sessionUid, JSON.stringify(merged)],
    );
    await connection.query(
      `update auth.provider_records set expires_at = now() + make_interval(secs => $2)
       where uid = $1 and model in ('Session', 'CookieId', 'SessionGrant')`,
      [sessionUid, expiresInSeconds],
    );
    const { idHash } = before;
    const locked = { sessionUid: String(sessionUid), idHash, accountId: merged.accountId };
    if (cookieIdBefore === undefined) await addCookieId(connection, locked, cookieId);
    else if (cookieId !== cookieIdBefore) {
      return await supersedeCookieId(connection, locked, cookieIdBefore, cookieId);
    }
    return true;
  });
}

/** Locks the record of a session, and before that its UID: two requests may store it first. */
async function lockSession(connection: pg.ClientBase, sessionUid: string) {
  await connection.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [sessionUid]);
  const { rows } = await connection.query<{ idHash: Buffer; payload: SessionPayload }>(
    `select id_hash as "idHash", payload from auth.provider_records
     where model = 'Session' and uid = $1 for update`,
    [sessionUid],
  );
  return rows[0];
}

async function insertSession(
  connection: pg.ClientBase,
  session: SessionRecord,
  address: string,
): Promise<void> {
  const { cookieId: id, payload, expiresInSeconds } = session;
  const { uid, accountId } = payload;
  const text = JSON.stringify(payload);
  const record = { model: "Session", id, payload: text, expiresInSeconds, uid, accountId };
  // Anybody can begin a session in which nobody is signed in.
  const pending = accountId === undefined ? { address } : {};
  await storeRecord(connection, { ...record, ...pending });
}

function mergedPayload(before: SessionPayload, session: SessionRecord): SessionPayload {
  const { payload, partsRead, isStateChanged } = session;
  const { state, ...rest } = payload;
  const stateAfter = isStateChanged ? state : before.state;
  const authorizations = mergedParts(before.authorizations, partsRead, payload.authorizations);
  return { ...rest, ...(stateAfter && { state: stateAfter }), authorizations };
}

type Parts = Readonly<Record<string, SessionPart>>;

/** @param read the parts as the request has read them; `now`: as it has changed them */
function mergedParts(
  before: Parts = {},
  read: Parts,
  now: Parts = {},
): Record<string, SessionPart> {
  const merged = { ...before };
  for (const clientId of new Set([...Object.keys(read), ...Object.keys(now)])) {
    const part = now[clientId];
    const isChanged = JSON.stringify(part) !== JSON.stringify(read[clientId]);
    // Another request has ended the part in the meantime.
    const isEnded = read[clientId] !== undefined && before[clientId] === undefined;
    if (!isChanged || isEnded) continue;
    if (part === undefined) delete merged[clientId];
    else merged[clientId] = part;
  }
  return merged;
}
