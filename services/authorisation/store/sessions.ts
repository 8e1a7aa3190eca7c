/**
 * Stores and ends sessions. One transaction removes a session, puts its tokens on the denylist, and
 * records which clients to tell.
 */
import { addDenylistEntry } from "@stowage/access-token/postgres";
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { acceptedSecondsMax } from "../model/lifetimes.ts";
import type { SessionPart, SessionPayload, SessionRecord } from "../overrides/sessions.ts";
import { addLogoutNotices, type EndedSession } from "./logout-notices.ts";
import { recordIdHash, removeRecord, storeRecord } from "./provider-records.ts";

/** Ends a session, by the ID in its cookie, if it exists. */
export async function endSession(pool: pg.Pool, bearerId: string): Promise<void> {
  await inTransaction(pool, async (connection) => {
    const { rows } = await connection.query<SessionRow>(
      `delete from auth.provider_records where model = 'Session' and id_hash = $1
       returning payload`,
      [recordIdHash(bearerId)],
    );
    await endWithClients(connection, rows.flatMap(sessionsWithClients));
  });
}

/** Ends all sessions of a person, in a transaction of the caller. */
export async function endSessionsOf(connection: pg.ClientBase, subject: string): Promise<void> {
  const { rows } = await connection.query<SessionRow>(
    `delete from auth.provider_records where model = 'Session' and account_id = $1
     returning payload`,
    [subject],
  );
  await endWithClients(connection, rows.flatMap(sessionsWithClients));
}

interface SessionRow {
  payload: SessionPayload;
}

/** The values of the claim `sid` in the tokens of a client. */
function sessionIdsOf({ sid, otherSids = [] }: SessionPart): string[] {
  return [sid ?? [], otherSids].flat();
}

/** The parts of a session, by client. */
function sessionsWithClients({ payload }: SessionRow): EndedSession[] {
  const { accountId: subject, authorizations = {} } = payload;
  if (subject === undefined) return [];
  return Object.entries(authorizations).flatMap(([clientId, part]) =>
    sessionIdsOf(part).map((sessionId) => ({ clientId, subject, sessionId })),
  );
}

/** Revokes the tokens of sessions, and records which clients to tell. */
async function endWithClients(connection: pg.ClientBase, ended: EndedSession[]): Promise<void> {
  if (ended.length === 0) return;
  // A token may be issued at the moment in which its session ends.
  const expiresAt = Math.floor(Date.now() / 1000) + acceptedSecondsMax;
  for (const { sessionId } of ended) {
    await addDenylistEntry(connection, { kind: "sid", value: sessionId, expiresAt });
  }
  await addLogoutNotices(connection, ended);
}

const model = "Session";

/**
 * Stores a session. A browser sends several requests at once; each reads the session, changes it
 * and stores it, and must not undo the changes of others. A session that has ended in the meantime
 * stays ended. Under the same ID, clients are only added. Under a new ID, clients without a part in
 * it are signed out.
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
 * Merges the parts. The `state` stays, unless the request has replaced it. If two requests have
 * each given a client an ID, both IDs end with the session.
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
