/**
 * Finds sessions by their IDs, and stores the IDs in their cookies: model/session.ts explains them.
 *
 * A browser gets another cookie ID whenever it has signed in or consented. Requests that it sent
 * before still show the one before. The record of a session is stored under the hash of one cookie
 * ID. Here are the others: those that concurrent requests got, which stay valid, and superseded
 * ones, which lead to the session for some seconds.
 */
import type pg from "pg";
import type { SessionPayload } from "../model/session.ts";
import { recordIdHash } from "./provider-records.ts";

/** How long a request with a superseded cookie ID may take to arrive. */
const supersededSeconds = 30;

/** The condition for a cookie ID that was not superseded long ago. */
const leadsToSession = `(other.consumed_at is null
  or other.consumed_at > now() - make_interval(secs => ${supersededSeconds}))`;

/** Finds the session that a cookie ID leads to; `atAnyAge`: even if it was superseded long ago. */
export async function findSessionByOtherId(
  pool: pg.Pool,
  cookieId: string,
  { atAnyAge }: { atAnyAge: boolean },
): Promise<SessionPayload | undefined> {
  const { rows } = await pool.query<{ payload: SessionPayload }>({
    name: "find-session-by-other-id",
    text: `
      select session.payload
      from auth.provider_records other join auth.provider_records session using (uid)
      where other.model = 'CookieId' and other.id_hash = $1 and session.model = 'Session'
        and ($2 or ${leadsToSession})`,
    values: [recordIdHash(cookieId), atAnyAge],
  });
  return rows[0]?.payload;
}

/** Finds the UID of a session by any of its cookie IDs. */
export async function findSessionUid(
  connection: pg.ClientBase,
  cookieId: string,
): Promise<string | undefined> {
  const { rows } = await connection.query<{ sessionUid: string }>(
    `select uid as "sessionUid" from auth.provider_records
     where model in ('Session', 'CookieId') and id_hash = $1`,
    [recordIdHash(cookieId)],
  );
  return rows[0]?.sessionUid;
}

/** The condition for the record of a session in which a client has a `sid`, an SQL expression. */
export function hasSid(sid: string): string {
  const path = "$.authorizations.*.sid ? (@ == $sid)";
  return `jsonb_path_exists(payload::jsonb, '${path}', jsonb_build_object('sid', ${sid}::text))`;
}

/** The rest of this file changes the cookie IDs of a session whose record the caller has locked. */
interface LockedSession {
  sessionUid: string;
  /** Of the cookie ID under which the record is stored. */
  idHash: Buffer;
  accountId: string | undefined;
}

/** Adds another cookie ID. */
export async function addCookieId(
  connection: pg.ClientBase,
  session: LockedSession,
  cookieId: string,
): Promise<void> {
  await insert(connection, session, recordIdHash(cookieId), null);
}

/**
 * Replaces a cookie ID by the next one. The earlier one leads to the session for some seconds more.
 * Returns false, and adds no ID, if it was superseded long ago: a browser that shows it can only
 * sign out.
 */
export async function supersedeCookieId(
  connection: pg.ClientBase,
  session: LockedSession,
  cookieId: string,
  nextCookieId: string,
): Promise<boolean> {
  const idHash = recordIdHash(cookieId);
  if (idHash.equals(session.idHash)) {
    await connection.query(
      "update auth.provider_records set id_hash = $2 where model = 'Session' and id_hash = $1",
      [idHash, recordIdHash(nextCookieId)],
    );
    await insert(connection, session, idHash, new Date());
    return true;
  }
  const { rowCount } = await connection.query(
    `update auth.provider_records other set consumed_at = coalesce(consumed_at, now())
     where model = 'CookieId' and id_hash = $1 and ${leadsToSession}`,
    [idHash],
  );
  if (rowCount !== 1) return false;
  await addCookieId(connection, session, nextCookieId);
  return true;
}

async function insert(
  connection: pg.ClientBase,
  { sessionUid, accountId }: LockedSession,
  idHash: Buffer,
  supersededAt: Date | null,
): Promise<void> {
  await connection.query(
    `insert into auth.provider_records
       (model, id_hash, payload, uid, account_id, consumed_at, expires_at)
     select 'CookieId', $1, '{}', uid, $3, $4, expires_at
     from auth.provider_records where model = 'Session' and uid = $2`,
    [idHash, sessionUid, accountId, supersededAt],
  );
}
