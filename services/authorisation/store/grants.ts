/**
 * Stores the grants of people to clients. A session has one for each client, with one ID: requests
 * that need it at once add to the same grant, and do not make each other's tokens useless. Each
 * login of a program on people's devices has a grant of its own: revoking a refresh token revokes
 * its grant, so signing out of one device leaves the others signed in.
 */
import { randomBytes } from "node:crypto";
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { type Details, isWithin } from "../model/authorization-details.ts";
import { grantIdOf } from "../model/session.ts";
import { accountIdOf } from "../model/subjects.ts";
import type { Consent } from "./consents.ts";
import { recordIdHash, storeRecord } from "./provider-records.ts";

/**
 * Why a client gets a grant.
 *
 * - `asked`: a person has been asked just now.
 * - `askedForLogin`: the same, for a login that outlives the session.
 * - `consented`: the person has consented before.
 * - `firstParty`: people are not asked.
 */
type GrantReason = "asked" | "askedForLogin" | "consented" | "firstParty";

/** The grant that a request makes, or what it adds to the existing one. */
interface OfferedGrant {
  sessionUid: string;
  reason: GrantReason;
  /** A subject. */
  accountId: string;
  clientId: string;
  consents: readonly Consent[];
  /** The limits (RFC 9396). Null keeps those of the grant; undefined removes them. */
  details: Details | null;
  expiresInSeconds: number;
}

/** The members of oidc-provider's grants that matter here. */
export interface GrantPayload {
  openid?: { scope: string };
  /** The scopes, by resource server. */
  resources?: Record<string, string>;
  rar?: Details;
}

/**
 * Why a grant is not stored: the session has ended, the consents were withdrawn, or the client is
 * no longer first-party.
 */
type Refusal = "sessionEnded" | "consentNeeded";

/** Makes or extends the grant, and returns its ID. */
export async function storeGrant(
  pool: pg.Pool,
  offered: OfferedGrant,
): Promise<{ grantId: string } | Refusal> {
  const { sessionUid, reason, accountId, clientId, expiresInSeconds } = offered;
  const isOfLogin = reason === "askedForLogin";
  // In hexadecimal, no ID looks like an option of a command.
  const grantId = isOfLogin ? randomBytes(32).toString("hex") : grantIdOf(sessionUid, clientId);
  return await inTransaction(pool, async (connection) => {
    if (!(await holdReason(connection, offered))) return "consentNeeded";
    if (await isEnded(connection, sessionUid)) return "sessionEnded";
    await connection.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [grantId]);
    const { rows } = await connection.query<{ payload: GrantPayload }>(
      "select payload from auth.provider_records where model = 'Grant' and id_hash = $1 for update",
      [recordIdHash(grantId)],
    );
    const iat = Math.floor(Date.now() / 1000);
    const members = { kind: "Grant", iat, exp: iat + expiresInSeconds, accountId, clientId };
    const payload = { ...members, ...mergedGrant(rows[0]?.payload ?? {}, offered) };
    await storeRecord(connection, {
      model: "Grant",
      id: grantId,
      payload: JSON.stringify(payload),
      expiresInSeconds,
      grantId,
      uid: isOfLogin ? undefined : sessionUid,
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
  const { reason, accountId, clientId } = offered;
  if (reason !== "firstParty" && reason !== "consented") return true;
  const { rowCount } =
    reason === "firstParty"
      ? await connection.query(
          "select from auth.clients where client_id = $1 and is_first_party for share",
          [clientId],
        )
      : await connection.query(
          "select from auth.consents where account_id = $1 and client_id = $2 for share",
          [accountIdOf(accountId), clientId],
        );
  return rowCount !== 0;
}

function mergedGrant(
  before: GrantPayload,
  { consents, details }: Pick<OfferedGrant, "consents" | "details">,
): GrantPayload {
  const isForServer = consents.some(({ resource }) => resource !== "");
  // A request for no resource server keeps the limits: its consent page does not show any.
  const rar = details === null || !(details || isForServer) ? before.rar : details;
  // The earlier scopes were allowed within the earlier limits. Wider limits must not apply to them.
  const resources = isWithin(rar, before.rar) ? { ...before.resources } : {};
  let scope = before.openid?.scope;
  for (const consent of consents) {
    const { resource, scopes } = consent;
    if (resource === "") scope = union(scope, scopes);
    else resources[resource] = union(resources[resource], scopes);
  }
  return { ...(scope && { openid: { scope } }), resources, ...(rar && { rar }) };
}

function union(before = "", added: readonly string[]): string {
  const scopes = new Set([...before.split(" "), ...added]);
  scopes.delete("");
  return [...scopes].join(" ");
}

/** Of one person and client: people have fewer devices. A further login ends the oldest. */
export const loginsMax = 100;

/**
 * Finds the grants of logins beyond the limit: those that expire first. The new one is never among
 * them, even if older ones expire later because the lifetimes were shortened.
 */
export async function findSurplusLogins(
  pool: pg.Pool,
  { accountId, clientId }: Pick<OfferedGrant, "accountId" | "clientId">,
  newGrantId: string,
): Promise<string[]> {
  const { rows } = await pool.query<{ grantId: string }>({
    name: "find-surplus-logins",
    text: `
      select grant_id as "grantId" from auth.provider_records
      where model = 'Grant' and account_id = $1 and client_id = $2 and grant_id <> $3
        and uid is null
      order by expires_at desc offset $4`,
    values: [accountId, clientId, newGrantId, loginsMax - 1],
  });
  return rows.map(({ grantId }) => grantId);
}
