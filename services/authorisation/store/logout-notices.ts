/** Stores which clients to tell that a session has ended. */
import type pg from "pg";

/** A notice expires after this time. */
const noticeHoursMax = 24;

export interface EndedSession {
  clientId: string;
  /** The claim `sub` of the tokens of the session. */
  subject: string;
  /** The claim `sid` of the tokens of the session. */
  sid: string;
}

export interface LogoutNotice extends EndedSession {
  noticeId: string;
  logoutUri: string;
  /** The number of tries, including this one. */
  attempts: number;
}

/** Adds notices for those clients that have a logout address, and locks these clients. */
export async function addLogoutNotices(
  database: pg.Pool | pg.ClientBase,
  ended: readonly EndedSession[],
): Promise<void> {
  await database.query(
    `insert into auth.logout_notices (client_id, subject, sid, expires_at)
     select client_id, subject, sid, now() + make_interval(hours => ${noticeHoursMax})
     from unnest($1::uuid[], $2::text[], $3::text[]) as ended (client_id, subject, sid)
     join auth.clients using (client_id)
     where back_channel_logout_uri is not null
     -- A client that is being removed is waited for, and then left out.
     for key share of clients`,
    [
      ended.map(({ clientId }) => clientId),
      ended.map(({ subject }) => subject),
      ended.map(({ sid }) => sid),
    ],
  );
}

/**
 * Claims notices that are due, at most one for each client, so that a client that does not answer
 * does not delay the others. Concurrent callers get different ones. After `leaseSeconds` they are
 * due again, unless they are removed or postponed.
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
          -- Usually nothing is due. This saves the scan of the clients.
          and exists (select from auth.logout_notices where due_at <= now())
        order by due_at limit $1
      ) due
      where notice.notice_id = due.notice_id
      returning notice.notice_id as "noticeId", client_id as "clientId", subject,
        sid, back_channel_logout_uri as "logoutUri", attempts`,
    values: [claim.countMax, claim.leaseSeconds, claim.exceptClients],
  });
  return rows;
}

/** Removes a notice. */
export async function removeLogoutNotice(pool: pg.Pool, noticeId: string): Promise<void> {
  await pool.query("delete from auth.logout_notices where notice_id = $1", [noticeId]);
}

/** Makes a notice due again after a delay. */
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

/** Counts the notices that are not removed yet, up to 10,000, and the age of the oldest. */
export async function countLogoutNotices(
  pool: pg.Pool,
): Promise<{ pending: number; oldestSeconds: number }> {
  const { rows } = await pool.query<{ pending: number; oldestSeconds: number }>({
    name: "count-logout-notices",
    text: `
      select count(*)::int as pending, coalesce(extract(epoch from
        now() - min(expires_at) + interval '${noticeHoursMax} hours'), 0)::float8 as "oldestSeconds"
      from (select expires_at from auth.logout_notices order by expires_at limit 10000) oldest`,
  });
  return rows[0] ?? { pending: 0, oldestSeconds: 0 };
}

/** Removing a batch takes well under a second. */
const rowsMax = 10_000;

/** Removes a batch of expired notices. Returns their numbers by client. */
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
