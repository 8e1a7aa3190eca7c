/**
 * Stores sessions. A browser sends several requests at once, and each reads the session, changes it
 * and stores it whole: what another has ended or added meanwhile must not be undone.
 */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import {
  endWithClients,
  type SessionPayload,
  sessionIdsOf,
  sessionsWithClients,
} from "./end-sessions.ts";
import { recordIdHash, removeRecord, storeRecord } from "./provider-records.ts";

/** A session to be stored. */
export interface SessionRecord {
  /** What its bearer shows. */
  id: string;
  /** The same when it was read; undefined: the session is new. */
  idBefore: string | undefined;
  /** Its `state` is left out unless the request has changed it. */
  payload: SessionPayload;
  /** Seconds from now. */
  expiresInSeconds: number;
}

const model = "Session";

/**
 * Stores a session. One that has ended since it was read stays ended. Under the same ID clients are
 * only added; under a new one, those that have no part in it any more are signed out.
 */
export async function storeSession(pool: pg.Pool, session: SessionRecord): Promise<void> {
  const { id, idBefore, payload, expiresInSeconds } = session;
  await inTransaction(pool, async (connection) => {
    const before = idBefore === undefined ? {} : await lockSession(connection, idBefore);
    if (before === undefined) return;
    let stored = payload;
    if (id === idBefore) {
      stored = withPartsOf(before, payload);
    } else if (idBefore !== undefined) {
      await endOthers(connection, before, payload);
      await removeRecord(connection, { model, id: idBefore });
    }
    const { uid, accountId } = payload;
    const names = { uid, accountId, grantId: undefined, userCode: undefined, clientId: undefined };
    const text = JSON.stringify(stored);
    await storeRecord(connection, { model, id, payload: text, expiresInSeconds, ...names });
  });
}

async function lockSession(
  connection: pg.ClientBase,
  id: string,
): Promise<SessionPayload | undefined> {
  const { rows } = await connection.query<{ payload: SessionPayload }>(
    `select payload from auth.provider_records where model = 'Session' and id_hash = $1
     for update`,
    [recordIdHash(id)],
  );
  return rows[0]?.payload;
}

async function endOthers(
  connection: pg.ClientBase,
  before: SessionPayload,
  payload: SessionPayload,
): Promise<void> {
  const kept = Object.values(payload.authorizations ?? {}).flatMap(sessionIdsOf);
  const ended = sessionsWithClients({ payload: before }).filter(
    ({ sessionId }) => !kept.includes(sessionId),
  );
  await endWithClients(connection, ended);
}

/**
 * What is under way stays so, unless the request began something else. Two requests of one client
 * may each have given it an ID: both end with the session.
 */
function withPartsOf(before: SessionPayload, payload: SessionPayload): SessionPayload {
  const authorizations = { ...before.authorizations };
  for (const [clientId, part] of Object.entries(payload.authorizations ?? {})) {
    const ids = new Set([authorizations[clientId] ?? {}, part].flatMap(sessionIdsOf));
    if (part.sid !== undefined) ids.delete(part.sid);
    authorizations[clientId] = { ...part, ...(ids.size > 0 && { otherSids: [...ids] }) };
  }
  const { state = before.state } = payload;
  return { ...payload, ...(state && { state }), authorizations };
}
