/**
 * Stores which grant belongs to a session and a client. There is one, with one `sid`, whatever
 * number of requests make it at once: the first decides, and the others extend it.
 */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { type Details, isWithin } from "../model/authorization-details.ts";
import { accountIdOf } from "../model/subjects.ts";
import { recordIdHash, storeRecord } from "./provider-records.ts";

/** A grant, and the `sid` of the client. */
interface SessionGrant {
  grantId: string;
  sid: string;
}

/**
 * Why a client gets a grant.
 *
 * - `asked`: a person has been asked just now.
 * - `consented`: the person has consented before.
 * - `firstParty`: people are not asked.
 */
export type GrantReason = "asked" | "consented" | "firstParty";

/** The grant that a request makes, or what it adds to the existing one. */
interface OfferedGrant extends SessionGrant {
  sessionUid: string;
  /** Whether the session is in the database; one that has just begun is not. */
  isSessionStored: boolean;
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

/** If the grant is revoked at the same moment, it is made anew, but only so often. */
const triesMax = 3;

/**
 * Why a grant is not stored: the session has ended, the consents were withdrawn, or the client is
 * no longer first-party.
 */
type Refusal = "sessionEnded" | "consentNeeded";

/** Makes or extends the grant, and returns it. */
export async function storeSessionGrant(
  pool: pg.Pool,
  offered: OfferedGrant,
): Promise<SessionGrant | Refusal> {
  for (let tries = 1; tries <= triesMax; tries++) {
    const stored = await inTransaction(pool, async (connection) => {
      if (!(await holdReason(connection, offered))) return "consentNeeded";
      if (!(await holdSession(connection, offered))) return "sessionEnded";
      if (await isFirst(connection, offered)) {
        await storeGrant(connection, offered.grantId, offered, offered.payload);
        return { grantId: offered.grantId, sid: offered.sid };
      }
      return await extendGrant(connection, offered);
    });
    if (stored !== undefined) return stored;
  }
  throw new Error("Cannot extend a grant: it is revoked again and again");
}

/** Locks the session, so that it does not end. Returns false if it has ended. */
async function holdSession(connection: pg.ClientBase, offered: OfferedGrant): Promise<boolean> {
  if (!offered.isSessionStored) return true;
  const { rowCount } = await connection.query(
    `select from auth.provider_records where model = 'Session' and uid = $1 for key share`,
    [offered.sessionUid],
  );
  return rowCount === 1;
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

const model = "SessionGrant";

function nameOf({ sessionUid, clientId }: OfferedGrant): Buffer {
  return recordIdHash(`${sessionUid} ${clientId}`);
}

async function isFirst(connection: pg.ClientBase, offered: OfferedGrant): Promise<boolean> {
  const { grantId, sid, sessionUid, accountId, clientId, expiresInSeconds } = offered;
  const { rowCount } = await connection.query(
    `insert into auth.provider_records
       (model, id_hash, payload, expires_at, grant_id, uid, account_id, client_id)
     values ($1, $2, $3, now() + make_interval(secs => $4), $5, $6, $7, $8)
     on conflict (model, id_hash) do nothing`,
    [
      model,
      nameOf(offered),
      JSON.stringify({ sid }),
      expiresInSeconds,
      grantId,
      sessionUid,
      accountId,
      clientId,
    ],
  );
  return rowCount === 1;
}

/** Adds to the grant that another request has made. Returns undefined if it was revoked. */
async function extendGrant(
  connection: pg.ClientBase,
  offered: OfferedGrant,
): Promise<SessionGrant | undefined> {
  const { rows } = await connection.query<SessionGrant>(
    `select grant_id as "grantId", payload->>'sid' as sid
     from auth.provider_records where model = $1 and id_hash = $2`,
    [model, nameOf(offered)],
  );
  const [known] = rows;
  if (known === undefined) return undefined;
  const { rows: grants } = await connection.query<{ payload: GrantPayload }>(
    `select payload from auth.provider_records where model = 'Grant' and id_hash = $1 for update`,
    [recordIdHash(known.grantId)],
  );
  const [grant] = grants;
  if (grant !== undefined) {
    const merged = mergedGrant(grant.payload, offered.payload);
    await storeGrant(connection, known.grantId, offered, merged);
    return known;
  }
  await connection.query(
    "delete from auth.provider_records where model = $1 and id_hash = $2 and grant_id = $3",
    [model, nameOf(offered), known.grantId],
  );
  return undefined;
}

async function storeGrant(
  connection: pg.ClientBase,
  grantId: string,
  { accountId, clientId, expiresInSeconds }: OfferedGrant,
  payload: GrantPayload,
): Promise<void> {
  const { rar, ...rest } = payload;
  await storeRecord(connection, {
    model: "Grant",
    id: grantId,
    payload: JSON.stringify({ ...rest, ...(rar && { rar }) }),
    expiresInSeconds,
    grantId,
    accountId,
    clientId,
  });
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
