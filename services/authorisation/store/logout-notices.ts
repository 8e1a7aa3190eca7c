/** Stores which clients to tell that a session has ended. */
import type pg from "pg";

export interface EndedSession {
  clientId: string;
  /** The claim `sub` of the tokens of the session. */
  subject: string;
  /** The claim `sid` of the tokens of the session. */
  sid: string;
}

export interface LogoutNotice extends EndedSession {
  logoutUri: string;
}

/** Adds notices for those clients that have a logout address, and locks these clients. */
export async function addLogoutNotices(
  database: pg.Pool | pg.ClientBase,
  ended: readonly EndedSession[],
): Promise<void> {
  await database.query(
    `insert into auth.logout_notices (client_id, sid, subject, logout_uri)
     select client_id, sid, subject, back_channel_logout_uri
     from unnest($1::uuid[], $2::text[], $3::text[]) as ended (client_id, sid, subject)
     join auth.clients using (client_id)
     where back_channel_logout_uri is not null
     -- A client that is being removed is waited for, and then left out.
     for key share of clients
     -- To tell a client once is enough.
     on conflict do nothing`,
    [
      ended.map(({ clientId }) => clientId),
      ended.map(({ sid }) => sid),
      ended.map(({ subject }) => subject),
    ],
  );
}

/** Removes and returns notices. Concurrent callers get different ones. */
export async function takeLogoutNotices(pool: pg.Pool, countMax: number): Promise<LogoutNotice[]> {
  const { rows } = await pool.query<LogoutNotice>({
    name: "take-logout-notices",
    text: `
      with taken as (
        select client_id, sid from auth.logout_notices limit $1 for update skip locked)
      delete from auth.logout_notices notice using taken
      where notice.client_id = taken.client_id and notice.sid = taken.sid
      returning notice.client_id as "clientId", subject, notice.sid, logout_uri as "logoutUri"`,
    values: [countMax],
  });
  return rows;
}
