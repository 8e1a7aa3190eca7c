/**
 * Ends sessions. In one moment the session is gone, the tokens that it gave to clients are on the
 * denylist, and it is noted which clients are to be told: so none of it is lost, whatever fails.
 */

import { addDenylistEntry } from "@stowage/access-token/postgres";
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { acceptedSecondsMax } from "../provider/token-lifetime.ts";
import { addLogoutNotices, type EndedSession } from "./logout-notices.ts";
import { recordIdHash } from "./provider-records.ts";

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
