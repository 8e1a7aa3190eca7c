/** Ends a service account, with the tokens that it has. */

import { addDenylistEntry, prepareDenylist } from "@stowage/access-token/postgres";
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { serviceAccountUrn } from "../provider/service-account.ts";
import { accessTokenLifetimeSeconds, subjectRevokedSeconds } from "../provider/token-lifetime.ts";

/** What has become of it. */
export type Revocation = "revoked" | "revoked before" | "unknown";

/** Revokes an account: both the row and the denylist say so, or neither. */
export async function revokeServiceAccount(
  pool: pg.Pool,
  serviceAccountId: string,
): Promise<Revocation> {
  await prepareDenylist(pool);
  return await inTransaction(pool, async (connection) => {
    const { rows } = await connection.query<{ wasRevoked: boolean }>(
      `select revoked_at is not null as "wasRevoked" from auth.service_accounts
       where service_account_id = $1 for update`,
      [serviceAccountId],
    );
    const [account] = rows;
    if (account === undefined) return "unknown";
    if (account.wasRevoked) return "revoked before";
    await connection.query(
      "update auth.service_accounts set revoked_at = now() where service_account_id = $1",
      [serviceAccountId],
    );
    const now = Math.floor(Date.now() / 1000);
    await addDenylistEntry(connection, {
      kind: "sub",
      value: serviceAccountUrn(serviceAccountId),
      // The account gets no tokens any more, so the entry may cover those of the next hour too:
      // one that is being made while the account is revoked does not escape.
      issuedBefore: now + accessTokenLifetimeSeconds,
      expiresAt: now + subjectRevokedSeconds,
    });
    return "revoked";
  });
}
