/**
 * Stores the IDs of sessions. A browser shows its session's ID in a cookie, and gets another one
 * whenever it has signed in or consented. Requests that it sent before still carry the ID before.
 *
 * The record of a session is under the hash of one ID. Here are the others: those that requests in
 * parallel got, which stay valid, and superseded ones, which lead to the session for some seconds.
 */
import type pg from "pg";
import type { SessionPayload } from "../model/session.ts";
import { recordIdHash } from "./provider-records.ts";

/** How long a request under a superseded ID may take to arrive. */
const supersededSeconds = 30;

/** The condition for an ID that was not superseded long ago. */
const leadsToSession = `(other.consumed_at is null
  or other.consumed_at > now() - make_interval(secs => ${supersededSeconds}))`;

/** Finds the session that an ID leads to; with `atAnyAge`, even if it was superseded long ago. */
export async function findSessionByOtherId(
  pool: pg.Pool,
  id: string,
  { atAnyAge }: { atAnyAge: boolean },
): Promise<SessionPayload | undefined> {
  const { rows } = await pool.query<{ payload: SessionPayload }>({
    name: "find-session-by-other-id",
    text: `
      select session.payload
      from auth.provider_records other join auth.provider_records session using (uid)
      where other.model = 'SessionId' and other.id_hash = $1 and session.model = 'Session'
        and ($2 or ${leadsToSession})`,
    values: [recordIdHash(id), atAnyAge],
  });
  return rows[0]?.payload;
}

/** Finds the name of a session by any of its IDs. */
export async function findSessionUid(
  connection: pg.ClientBase,
  id: string,
): Promise<string | undefined> {
  const { rows } = await connection.query<{ uid: string }>(
    `select uid from auth.provider_records
     where model in ('Session', 'SessionId') and id_hash = $1`,
    [recordIdHash(id)],
  );
  return rows[0]?.uid;
}

/** The condition for the record of a session that a client knows by an ID (`sid`), an expression. */
export function hasSid(sid: string): string {
  const path = "$.authorizations.*.sid ? (@ == $sid)";
  return `jsonb_path_exists(payload::jsonb, '${path}', jsonb_build_object('sid', ${sid}::text))`;
}

/** The rest of this file changes the IDs of a session whose record the caller has locked. */
interface LockedSession {
  uid: string;
  /** Of the ID under which the record is stored. */
  idHash: Buffer;
  accountId: string | undefined;
}

/** Adds another ID. */
export async function addSessionId(
  connection: pg.ClientBase,
  session: LockedSession,
  id: string,
): Promise<void> {
  await insert(connection, session, recordIdHash(id), null);
}

/**
 * Replaces an ID by another. The ID before still leads to the session for some seconds. Returns
 * false, and adds no ID, if it was superseded long ago: who shows it can only sign out.
 */
export async function supersedeSessionId(
  connection: pg.ClientBase,
  session: LockedSession,
  { idBefore, id }: { idBefore: string; id: string },
): Promise<boolean> {
  const hashBefore = recordIdHash(idBefore);
  if (hashBefore.equals(session.idHash)) {
    await connection.query(
      "update auth.provider_records set id_hash = $2 where model = 'Session' and id_hash = $1",
      [hashBefore, recordIdHash(id)],
    );
    await insert(connection, session, hashBefore, new Date());
    return true;
  }
  const { rowCount } = await connection.query(
    `update auth.provider_records other set consumed_at = coalesce(consumed_at, now())
     where model = 'SessionId' and id_hash = $1 and ${leadsToSession}`,
    [hashBefore],
  );
  if (rowCount !== 1) return false;
  await addSessionId(connection, session, id);
  return true;
}

async function insert(
  connection: pg.ClientBase,
  { uid, accountId }: LockedSession,
  idHash: Buffer,
  supersededAt: Date | null,
): Promise<void> {
  await connection.query(
    `insert into auth.provider_records
       (model, id_hash, payload, uid, account_id, consumed_at, expires_at)
     select 'SessionId', $1, '{}', uid, $3, $4, expires_at
     from auth.provider_records where model = 'Session' and uid = $2`,
    [idHash, uid, accountId, supersededAt],
  );
}
