/**
 * Stores sessions. A browser sends several requests at once; each reads the session, changes it and
 * stores it, and must not undo the changes of others.
 */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import type { SessionPart, SessionPayload } from "../model/session.ts";
import { recordIdHash, storeRecord } from "./provider-records.ts";

/** A session to store. */
interface StoredSession {
  /** As in the cookie of the browser. */
  id: string;
  payload: SessionPayload;
  /** Seconds from now. */
  expiresInSeconds: number | undefined;
  /** The address of the caller, or its network. */
  address: string;
}

/**
 * Stores a session, or adds what a request has changed to what is stored. One that has ended in the
 * meantime stays so. Returns true if it has just begun.
 */
export async function storeSession(pool: pg.Pool, session: StoredSession): Promise<boolean> {
  const { id, payload, expiresInSeconds, address } = session;
  return await inTransaction(pool, async (connection) => {
    // Requests that sign a person in at once store the same session first.
    await connection.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [payload.uid]);
    const before = await lockSession(connection, id);
    if (before?.isEnded) return false;
    const { uid, accountId } = payload;
    await storeRecord(connection, {
      model: "Session",
      id,
      payload: JSON.stringify(before ? merged(before.payload, payload) : payload),
      expiresInSeconds,
      uid,
      accountId,
      // Anybody can begin a session in which nobody is signed in.
      ...(accountId === undefined && { address }),
    });
    return before === undefined;
  });
}

async function lockSession(connection: pg.ClientBase, id: string) {
  const { rows } = await connection.query<{ payload: SessionPayload; isEnded: boolean }>(
    `select payload, consumed_at is not null as "isEnded" from auth.provider_records
     where model = 'Session' and id_hash = $1 for update`,
    [recordIdHash(id)],
  );
  return rows[0];
}

function merged(before: SessionPayload, now: SessionPayload): SessionPayload {
  const authorizations = { ...before.authorizations };
  for (const [clientId, part] of Object.entries(now.authorizations ?? {})) {
    authorizations[clientId] = mergedPart(authorizations[clientId], part);
  }
  return { ...before, ...now, authorizations };
}

/** The request may have read the part of a client that has ended since. */
function mergedPart(before: SessionPart = {}, now: SessionPart): SessionPart {
  const hasEnded = now.sid !== undefined && now.sid === before.endedSid;
  return hasEnded ? before : { ...before, ...now };
}

/** The condition for the record of a session in which a client has a `sid`, an SQL expression. */
export function hasSid(sid: string): string {
  const path = "$.authorizations.*.sid ? (@ == $sid)";
  return `jsonb_path_exists(payload::jsonb, '${path}', jsonb_build_object('sid', ${sid}::text))`;
}
