/** Who is still to be told that a session has ended: rows that stay until they were told. */
import type pg from "pg";

/** How long it is tried to tell a client. */
export const noticeHoursMax = 24;

/** What a client is to be told. */
export interface EndedSession {
  clientId: string;
  /** Whose session it was, as the client knows them: the claim `sub` of their tokens. */
  subject: string;
  /** The claim `sid` of the tokens of the session. */
  sessionId: string;
}

/** A client that somebody is to tell now. */
export interface LogoutNotice extends EndedSession {
  noticeId: string;
  /** Where the client wants to be told. */
  logoutUri: string;
  /** How often it has been tried, this time included. */
  attempts: number;
}

/** Notes that clients are to be told, those of them that want to be. */
export async function addLogoutNotices(
  database: pg.Pool | pg.ClientBase,
  ended: readonly EndedSession[],
): Promise<void> {
  await database.query(
    `insert into auth.logout_notices (client_id, subject, session_id, expires_at)
     select client_id, subject, session_id, now() + make_interval(hours => ${noticeHoursMax})
     from unnest($1::uuid[], $2::text[], $3::text[]) as ended (client_id, subject, session_id)
     join auth.clients using (client_id)
     where back_channel_logout_uri is not null`,
    [
      ended.map(({ clientId }) => clientId),
      ended.map(({ subject }) => subject),
      ended.map(({ sessionId }) => sessionId),
    ],
  );
}

/**
 * Takes notices that are due, at most one for each client, so that a client that does not answer
 * keeps nobody from telling the others. They are the caller's for `leaseSeconds`; whoever asks
 * meanwhile gets others. Thereafter they are due again, unless they are removed or postponed.
 */
export async function claimLogoutNotices(
  pool: pg.Pool,
  claim: { countMax: number; leaseSeconds: number; exceptClients: readonly string[] },
): Promise<LogoutNotice[]> {
  const { rows } = await pool.query<LogoutNotice>({
    name: "claim-logout-notices",
    text: `
      update auth.logout_notices notice
      set attempts = attempts + 1, due_at = now() + make_interval(secs => $2)
      from (
        select notice_id, back_channel_logout_uri
        from auth.clients client cross join lateral (
          select notice_id, due_at from auth.logout_notices
          where client_id = client.client_id and due_at <= now() and expires_at > now()
          order by due_at limit 1
          for update skip locked
        ) first
        where back_channel_logout_uri is not null and client_id <> all ($3::uuid[])
          -- Most often nothing is due, and the clients need not be looked at.
          and exists (select from auth.logout_notices where due_at <= now())
        order by due_at limit $1
      ) due
      where notice.notice_id = due.notice_id
      returning notice.notice_id as "noticeId", client_id as "clientId", subject,
        session_id as "sessionId", back_channel_logout_uri as "logoutUri", attempts`,
    values: [claim.countMax, claim.leaseSeconds, claim.exceptClients],
  });
  return rows;
}

/** Removes a notice: the client was told. */
export async function removeLogoutNotice(pool: pg.Pool, noticeId: string): Promise<void> {
  await pool.query("delete from auth.logout_notices where notice_id = $1", [noticeId]);
}

/** Lets a notice be due again after that time; 0: at once. */
export async function postponeLogoutNotice(
  pool: pg.Pool,
  noticeId: string,
  delayMs: number,
): Promise<void> {
  await pool.query(
    `update auth.logout_notices set due_at = now() + make_interval(secs => $2)
     where notice_id = $1`,
    [noticeId, delayMs / 1000],
  );
}

/** Rows removed in one go. */
const rowsMax = 10_000;

/** Removes notices whose time is over, at most 10,000. Gives how many it was for each client. */
export async function removeExpiredLogoutNotices(pool: pg.Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ clientId: string; count: number }>(
    `with removed as (
       delete from auth.logout_notices where notice_id in (
         select notice_id from auth.logout_notices where expires_at <= now()
         order by expires_at limit ${rowsMax}
         for update skip locked)
       returning client_id)
     select client_id as "clientId", count(*)::int as count from removed group by client_id`,
  );
  return new Map(rows.map(({ clientId, count }) => [clientId, count]));
}
