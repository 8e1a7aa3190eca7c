/**
 * Stores the grant of a session to a client. It has one ID, so requests that need it at once do not
 * make the tokens of each other useless: each adds to the same grant.
 */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { type Details, isWithin } from "../model/authorization-details.ts";
import { grantIdOf } from "../model/session.ts";
import { accountIdOf } from "../model/subjects.ts";
import { recordIdHash, storeRecord } from "./provider-records.ts";

/**
 * Why a client gets a grant.
 *
 * - `asked`: a person has been asked just now.
 * - `consented`: the person has consented before.
 * - `firstParty`: people are not asked.
 */
export type GrantReason = "asked" | "consented" | "firstParty";

/** The grant that a request makes, or what it adds to the existing one. */
interface OfferedGrant {
  sessionUid: string;
  reason: GrantReason;
  accountId: string;
  clientId: string;
  payload: GrantPayload;
  expiresInSeconds: number;
}

/** The members of oidc-provider's grants that are merged. */
export interface GrantPayload {
  openid?: { scope?: string };
  /** The scopes, by resource server. */
  resources?: Record<string, string>;
  /** Null keeps the details (RFC 9396) of the grant; undefined removes them. */
  rar?: Details | null;
}

/**
 * Why a grant is not stored: the session has ended, the consents were withdrawn, or the client is
 * no longer first-party.
 */
type Refusal = "sessionEnded" | "consentNeeded";

/** Makes or extends the grant, and returns its ID. */
export async function storeSessionGrant(
  pool: pg.Pool,
  offered: OfferedGrant,
): Promise<{ grantId: string } | Refusal> {
  const { sessionUid, accountId, clientId, payload, expiresInSeconds } = offered;
  const grantId = grantIdOf(sessionUid, clientId);
  return await inTransaction(pool, async (connection) => {
    if (!(await holdReason(connection, offered))) return "consentNeeded";
    if (await isEnded(connection, sessionUid)) return "sessionEnded";
    await connection.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [grantId]);
    const { rows } = await connection.query<{ payload: GrantPayload }>(
      "select payload from auth.provider_records where model = 'Grant' and id_hash = $1 for update",
      [recordIdHash(grantId)],
    );
    const before = rows[0]?.payload;
    const { rar, ...rest } = before ? mergedGrant(before, payload) : payload;
    await storeRecord(connection, {
      model: "Grant",
      id: grantId,
      payload: JSON.stringify({ ...rest, ...(rar && { rar }) }),
      expiresInSeconds,
      grantId,
      uid: sessionUid,
      accountId,
      clientId,
    });
    return { grantId };
  });
}

/** Locks the session, so that it does not end now. One that has just begun is not stored yet. */
async function isEnded(connection: pg.ClientBase, sessionUid: string): Promise<boolean> {
  const { rows } = await connection.query<{ isEnded: boolean }>(
    `select consumed_at is not null as "isEnded" from auth.provider_records
     where model = 'Session' and uid = $1 for share`,
    [sessionUid],
  );
  return rows[0]?.isEnded === true;
}

/**
 * Locks what the grant rests on: the client, or the consents. Returns false if it is gone. A
 * transaction that withdraws it, and then removes the grants, commits first or waits for this one.
 * The session is locked afterwards, in the same order as when an account is removed.
 */
async function holdReason(connection: pg.ClientBase, offered: OfferedGrant): Promise<boolean> {
  if (offered.reason === "asked") return true;
  const { rowCount } =
    offered.reason === "firstParty"
      ? await connection.query(
          "select from auth.clients where client_id = $1 and is_first_party for share",
          [offered.clientId],
        )
      : await connection.query(
          "select from auth.consents where account_id = $1 and client_id = $2 for share",
          [accountIdOf(offered.accountId), offered.clientId],
        );
  return rowCount !== 0;
}

function mergedGrant(before: GrantPayload, added: GrantPayload): GrantPayload {
  const scope = union(before.openid?.scope, added.openid?.scope);
  const rar = mergedDetails(before, added);
  // The earlier scopes were allowed within the earlier limits. Wider limits must not apply to them.
  const resources = isWithin(rar, before.rar ?? undefined) ? { ...before.resources } : {};
  for (const [resource, scopes] of Object.entries(added.resources ?? {})) {
    resources[resource] = union(resources[resource], scopes);
  }
  return {
    ...before,
    ...(scope && { openid: { ...before.openid, scope } }),
    resources,
    rar,
  };
}

/** A request for no resource server keeps the limits: its consent page does not show any. */
function mergedDetails(before: GrantPayload, { rar, resources = {} }: GrantPayload): Details {
  const isForNone = rar === undefined && Object.keys(resources).length === 0;
  return rar === null || isForNone ? (before.rar ?? undefined) : rar;
}

function union(before = "", added = ""): string {
  const scopes = new Set(`${before} ${added}`.split(" "));
  scopes.delete("");
  return [...scopes].join(" ");
}
