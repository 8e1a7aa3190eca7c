/**
 * Ends sessions. In one moment the session is gone, the tokens that it gave to clients are on the
 * denylist, and it is noted which clients are to be told: so none of it is lost, whatever fails.
 */
import { addDenylistEntry } from "@stowage/access-token/postgres";
import type pg from "pg";
import { inTransaction } from "./in-transaction.ts";
import { addLogoutNotices, type EndedSession } from "./logout-notices.ts";
import { recordIdHash } from "./provider-records.ts";

/** How long a token is good for at most, one that was under way when its session ended included. */
const tokenSecondsMax = 3600 + 60;

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

/**
 * Ends a session with all clients but those that keep theirs. The session itself goes on, and is to
 * be stored without the others afterwards.
 *
 * @param keptSessionIds the claims `sid` of those that go on
 */
export async function endSessionWithOthers(
  pool: pg.Pool,
  bearerId: string,
  keptSessionIds: readonly string[],
): Promise<void> {
  await inTransaction(pool, async (connection) => {
    const { rows } = await connection.query<SessionRow>(
      `select payload from auth.provider_records where model = 'Session' and id_hash = $1
       for update`,
      [recordIdHash(bearerId)],
    );
    const ended = rows
      .flatMap(sessionsWithClients)
      .filter(({ sessionId }) => !keptSessionIds.includes(sessionId));
    await endWithClients(connection, ended);
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

interface SessionRow {
  /** As oidc-provider stores a session, as far as it matters here. */
  payload: {
    accountId?: string;
    authorizations?: Record<string, { sid?: string }>;
  };
}

/** Each client that has a part in a session knows it by another ID. */
function sessionsWithClients({ payload }: SessionRow): EndedSession[] {
  const { accountId: subject, authorizations = {} } = payload;
  return Object.entries(authorizations).flatMap(([clientId, { sid: sessionId }]) =>
    subject === undefined || sessionId === undefined ? [] : [{ clientId, subject, sessionId }],
  );
}

async function endWithClients(connection: pg.ClientBase, ended: EndedSession[]): Promise<void> {
  if (ended.length === 0) return;
  const expiresAt = Math.floor(Date.now() / 1000) + tokenSecondsMax;
  for (const { sessionId } of ended) {
    await addDenylistEntry(connection, { kind: "sid", value: sessionId, expiresAt });
  }
  await addLogoutNotices(connection, ended);
}
