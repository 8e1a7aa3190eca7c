/**
 * Ends sessions. In one moment the session is gone, the tokens that it gave to clients are on the
 * denylist, and it is noted which clients are to be told: so none of it is lost, whatever fails.
 */
import { addDenylistEntry } from "@stowage/access-token/postgres";
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { acceptedSecondsMax } from "../model/lifetimes.ts";
import { addLogoutNotices, type EndedSession } from "./logout-notices.ts";
import { recordIdHash, removeRecord, storeRecord } from "./provider-records.ts";

/** Ends a session, given what its bearer shows. One that is no more has ended already. */
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

/** Ends all sessions of a person, in a transaction of the caller's. */
export async function endSessionsOf(connection: pg.ClientBase, subject: string): Promise<void> {
  const { rows } = await connection.query<SessionRow>(
    `delete from auth.provider_records where model = 'Session' and account_id = $1
     returning payload`,
    [subject],
  );
  await endWithClients(connection, rows.flatMap(sessionsWithClients));
}

/** As oidc-provider stores a session, as far as it matters here. */
export interface SessionPayload {
  uid?: string;
  accountId?: string;
  /** What somebody is being asked, as whether to sign out. */
  state?: object;
  /** By the ID of the client. */
  authorizations?: Record<string, SessionPart>;
}

/** What one client has of a session: it knows it by an ID of its own, or in rare cases by more. */
interface SessionPart {
  sid?: string;
  otherSids?: string[];
}

interface SessionRow {
  payload: SessionPayload;
}

/** The claims `sid` of the tokens of one client. */
export function sessionIdsOf({ sid, otherSids = [] }: SessionPart): string[] {
  return [sid ?? [], otherSids].flat();
}

/** What there is to end of a session. */
export function sessionsWithClients({ payload }: SessionRow): EndedSession[] {
  const { accountId: subject, authorizations = {} } = payload;
  if (subject === undefined) return [];
  return Object.entries(authorizations).flatMap(([clientId, part]) =>
    sessionIdsOf(part).map((sessionId) => ({ clientId, subject, sessionId })),
  );
}

/** Takes back what clients have of sessions, and notes that they are to be told. */
export async function endWithClients(
  connection: pg.ClientBase,
  ended: EndedSession[],
): Promise<void> {
  if (ended.length === 0) return;
  // As long as a token that was under way when its session ended.
  const expiresAt = Math.floor(Date.now() / 1000) + acceptedSecondsMax;
  for (const { sessionId } of ended) {
    await addDenylistEntry(connection, { kind: "sid", value: sessionId, expiresAt });
  }
  await addLogoutNotices(connection, ended);
}

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
