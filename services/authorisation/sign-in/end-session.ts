import { inTransaction } from "@stowage/process";
import type pg from "pg";
import type { AuditEvent } from "../store/audit-events.ts";
import { endAccess } from "../store/end-access.ts";

/**
 * Ends a session for a request of the person who is signed in there, and records that. Does nothing
 * if the person has no such session.
 *
 * @param record adds the event to the audit log, with what is known of the request.
 */
export async function endSessionOfPerson(
  pool: pg.Pool,
  { sessionUid, subject }: { sessionUid: string; subject: string },
  record: (event: AuditEvent) => Promise<void>,
): Promise<void> {
  const session = { sessionUid, ofSubject: subject };
  if (!(await inTransaction(pool, (connection) => endAccess(connection, session)))) return;
  await record({ kind: "session_ended", subject, details: { sessionUid } });
}
