/**
 * Stores the part of the audit log that grants no token: failed sign-ins, consents, revocations and
 * commands of operators. store/authorisations.ts has what tokens grant.
 */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { userPrefix } from "../model/subjects.ts";
import { pruneRows } from "./prune-rows.ts";

/** What happened. */
type AuditEventKind =
  | "sign_in_failed"
  | "sign_in_link_made"
  | "sign_in_link_used"
  | "provider_sign_in"
  | "consent_given"
  | "consent_withdrawn"
  | "session_ended"
  | "grant_revoked"
  | "token_revoked"
  | "password_changed"
  | "operator_command";

export interface AuditEvent {
  /** UUID. Default: any. */
  eventId?: string;
  kind: AuditEventKind;
  /** Whom it concerns: a URN. */
  subject?: string | undefined;
  clientId?: string | undefined;
  /** The IP address of the caller. */
  address?: string | undefined;
  /** Who ran a command, and where: `user@host`. */
  operator?: string;
  /** Never contains a secret. */
  details?: Record<string, unknown>;
}

/** Records an event. */
export async function recordEvent(
  database: pg.Pool | pg.ClientBase,
  event: AuditEvent,
): Promise<void> {
  const { eventId = randomUUID(), kind, subject, clientId, address, operator } = event;
  await database.query({
    name: "record-audit-event",
    text: `insert into auth.audit_events
        (event_id, kind, subject, client_id, address, operator, details)
      values ($1, $2, $3, $4, $5, $6, $7)`,
    values: [
      eventId,
      kind,
      subject,
      clientId,
      address,
      operator,
      JSON.stringify(event.details ?? {}),
    ],
  });
}

/**
 * Records a command before it runs, and then how it ended. So one that is killed, or that loses the
 * database halfway, is on record too, without an outcome. Returning false means that there was
 * nothing to change, so the command failed.
 */
export async function recordCommand<T>(
  pool: pg.Pool,
  command: Pick<AuditEvent, "operator" | "details">,
  run: () => Promise<T>,
): Promise<T> {
  const eventId = randomUUID();
  await recordEvent(pool, { ...command, eventId, kind: "operator_command" });
  const end = async (outcome: "done" | "failed") => {
    const update = pool.query(
      `update auth.audit_events
       set details = details || jsonb_build_object('outcome', $2::text)
       where event_id = $1`,
      [eventId, outcome],
    );
    // What the command did, or why it failed, matters more than a missing outcome.
    await update.catch(() => undefined);
  };
  try {
    const result = await run();
    await end(result === false ? "failed" : "done");
    return result;
  } catch (error) {
    await end("failed");
    throw error;
  }
}

/**
 * Records a failed sign-in. The name that was entered is not stored: people type passwords into
 * the wrong field. If it is that of an account, the subject says whose.
 */
export async function recordFailedSignIn(
  pool: pg.Pool,
  attempt: { loginName: string | undefined; clientId?: string; address: string },
): Promise<void> {
  await pool.query({
    name: "record-failed-sign-in",
    text: `insert into auth.audit_events (kind, subject, client_id, address)
      values ('sign_in_failed', (
        select '${userPrefix}' || account_id from auth.accounts where login_name = $1
      ), $2, $3)`,
    values: [attempt.loginName, attempt.clientId, attempt.address],
  });
}

/** The conditions of a list. All of them must hold. */
interface EventFilter {
  subject?: string | undefined;
  clientId?: string | undefined;
  /** At this time or later. */
  from?: Date | undefined;
  /** Before this time. */
  to?: Date | undefined;
}

export interface ListedEvent {
  eventId: string;
  occurredAt: Date;
  kind: AuditEventKind;
  subject: string | null;
  clientId: string | null;
  address: string | null;
  operator: string | null;
  details: Record<string, unknown>;
}

/** Lists a page, the newest first. Rejects if the event `after` does not exist. */
export async function listEvents(
  pool: pg.Pool,
  { subject, clientId, from, to }: EventFilter,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<{ events: ListedEvent[]; next: string | null }> {
  if (after !== undefined) await requireEvent(pool, after);
  const { rows } = await pool.query<ListedEvent>(
    `select event_id as "eventId", occurred_at as "occurredAt", kind, subject,
       client_id as "clientId", address, operator, details
     from auth.audit_events
     where ($1::text is null or subject = $1) and ($2::text is null or client_id = $2)
       and ($3::timestamptz is null or occurred_at >= $3)
       and ($4::timestamptz is null or occurred_at < $4)
       and ($5::uuid is null or (occurred_at, event_id) < (
         select occurred_at, event_id from auth.audit_events where event_id = $5))
     order by occurred_at desc, event_id desc limit $6`,
    [subject, clientId, from, to, after, limit + 1],
  );
  const events = rows.slice(0, limit);
  const isLast = rows.length <= limit;
  return { events, next: isLast ? null : (events.at(-1)?.eventId ?? null) };
}

async function requireEvent(pool: pg.Pool, eventId: string): Promise<void> {
  const { rowCount } = await pool.query("select from auth.audit_events where event_id = $1", [
    eventId,
  ]);
  if (rowCount === 1) return;
  throw new Error(`Cannot list what happened before ${eventId}: it is not on record`);
}

/** Removes a batch of events older than `keptDays`. Returns how many. Safe to run concurrently. */
export function pruneAuditEvents(pool: pg.Pool, keptDays: number): Promise<number> {
  return pruneRows(
    pool,
    { table: "auth.audit_events", id: "event_id", time: "occurred_at" },
    keptDays,
  );
}
