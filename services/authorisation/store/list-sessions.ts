/** Lists the sessions in which people are signed in. */
import type pg from "pg";
import { userPrefix } from "../model/subjects.ts";

/** Of one person: people have fewer browsers. */
export const sessionsMax = 100;

/** The conditions of a list. All of them must hold. */
export interface SessionFilter {
  /** A person's subject. */
  subject?: string | undefined;
  loginName?: string | undefined;
  organisationId?: string | undefined;
}

export interface ListedSession {
  sessionUid: string;
  /** Null if the account was removed at this moment. */
  loginName: string | null;
  subject: string;
  signedInAt: Date;
  expiresAt: Date;
  /** The clients that got tokens in this session. */
  clients: { clientId: string; name: string | null; sid: string | null }[];
}

/** Lists at most `limit` sessions, the newest first. */
export async function listSessions(
  pool: pg.Pool,
  filter: SessionFilter,
  limit: number,
): Promise<ListedSession[]> {
  const { rows } = await pool.query<ListedSession>(
    `select session.uid as "sessionUid", login_name as "loginName", session.account_id as subject,
       to_timestamp((payload->>'loginTs')::float8) as "signedInAt",
       expires_at as "expiresAt",
       coalesce((
         select json_agg(json_build_object('clientId', part.key, 'name', client.name,
           'sid', part.value->>'sid'))
         from json_each(payload->'authorizations') part
         left join auth.clients client on client.client_id::text = part.key
         where part.value->>'sid' is not null
       ), '[]') as clients
     from auth.provider_records session
     left join auth.accounts account
       on session.account_id = '${userPrefix}' || account.account_id
     where session.model = 'Session' and session.account_id is not null and expires_at > now()
       and ($1::text is null or session.account_id = $1)
       and ($2::text is null or login_name = $2)
       and ($3::text is null or organisation_id = $3)
     order by (payload->>'loginTs')::float8 desc, session.uid limit $4`,
    [filter.subject, filter.loginName, filter.organisationId, limit],
  );
  return rows;
}

/**
 * Finds the sessions of a person beyond the limit: those that expire first, so usually those unused
 * for longest. The new one is never among them, even if the lifetimes were shortened.
 */
export async function findSurplusSessions(
  pool: pg.Pool,
  subject: string,
  newSessionUid: string,
): Promise<string[]> {
  const { rows } = await pool.query<{ sessionUid: string }>({
    name: "find-surplus-sessions",
    text: `
      select uid as "sessionUid" from auth.provider_records
      where model = 'Session' and account_id = $1 and uid <> $2 and expires_at > now()
      order by expires_at desc, uid offset ${sessionsMax - 1}`,
    values: [subject, newSessionUid],
  });
  return rows.map(({ sessionUid }) => sessionUid);
}
