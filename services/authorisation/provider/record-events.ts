/** Records in the audit log what requests to the provider end. */
import type { Denylist } from "@stowage/access-token";
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { currentContext } from "../overrides/library.ts";
import { type AuditEvent, recordEvent } from "../store/audit-events.ts";
import { endAccess } from "../store/end-access.ts";

/** Records an event of the current request: whose session, which client, and from where. */
export async function recordRequest(pool: pg.Pool, event: AuditEvent): Promise<void> {
  const ctx = currentContext();
  const { oidc } = ctx ?? {};
  const subject = oidc?.account?.accountId ?? oidc?.session?.accountId;
  await recordEvent(pool, {
    subject: subject ?? oidc?.entities.RefreshToken?.accountId,
    clientId: oidc?.client?.clientId,
    address: ctx?.ip,
    ...event,
  });
}

/** Revokes a grant with everything that rests on it, and records that. */
export async function revokeAndRecord(
  { pool, denylist }: { pool: pg.Pool; denylist: Denylist },
  grantId: string,
): Promise<void> {
  await inTransaction(pool, (connection) =>
    // Stored by this process's denylist, it is in force here at once.
    endAccess(connection, { grantId }, (entry) => denylist.add(entry)),
  );
  await recordRequest(pool, { kind: "grant_revoked", details: { grantId } });
}
