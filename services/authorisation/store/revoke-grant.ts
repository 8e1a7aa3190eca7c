/** Ends what a person has allowed a client, with everything that came of it. */

import type { Denylist } from "@stowage/access-token";
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { acceptedSecondsMax } from "../provider/token-lifetime.ts";
import { recordIdHash } from "./provider-records.ts";

/**
 * Revokes a grant: its codes and refresh tokens are gone, its access tokens on the denylist. When
 * it rejects, the grant still stands, and the one who asked should ask again.
 */
export async function revokeGrant(
  pool: pg.Pool,
  denylist: Pick<Denylist, "add">,
  grantId: string,
): Promise<void> {
  await inTransaction(pool, async (connection) => {
    // From here on no token can be issued: see record-authorisation.ts.
    await connection.query(
      "select from auth.provider_records where model = 'Grant' and id_hash = $1 for update",
      [recordIdHash(grantId)],
    );
    for (const { tokenId, issuedAt } of await validTokens(connection, grantId)) {
      await denylist.add({ kind: "jti", value: tokenId, expiresAt: issuedAt + acceptedSecondsMax });
    }
    await connection.query(
      // People who are being asked something at this moment can go on: it leads to another grant.
      `delete from auth.provider_records
       where (grant_id = $1 and model <> 'Interaction') or (model = 'Grant' and id_hash = $2)`,
      [grantId, recordIdHash(grantId)],
    );
  });
}

// Its record is a little older than a token.
async function validTokens(connection: pg.ClientBase, grantId: string) {
  const { rows } = await connection.query<{ tokenId: string; issuedAt: number }>(
    `select token_id as "tokenId", floor(extract(epoch from issued_at))::float8 as "issuedAt"
     from auth.authorisations
     where grant_id = $1 and issued_at > now() - make_interval(secs => ${acceptedSecondsMax})`,
    [grantId],
  );
  return rows;
}
