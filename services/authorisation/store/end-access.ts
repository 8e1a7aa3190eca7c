/**
 * The one way to end access: of a person, of a client, of a person at a client, of a session, or of
 * a grant. In a transaction of the caller it removes what tokens could be issued from, and denies
 * those that were issued: by one entry of the denylist, or a few, except for a grant, whose tokens
 * have nothing in common.
 */
import type { DenylistEntry } from "@stowage/access-token";
import { addDenylistEntry } from "@stowage/access-token/postgres";
import type pg from "pg";
import { acceptedSecondsMax, subjectRevokedSeconds } from "../model/lifetimes.ts";
import { serviceAccountUrn } from "../model/subjects.ts";
import { endSessionByUid, endSessionsOf } from "./end-sessions.ts";
import { recordIdHash, removeGrants, removeRecords } from "./provider-records.ts";

/** What ends. */
export type Access =
  /** All of a person. */
  | { subject: string; clientId?: undefined }
  /** What a person has allowed a client. */
  | { subject: string; clientId: string }
  /** What a client does for itself and for people. */
  | { clientId: string; subject?: undefined }
  /** A session in which somebody is signed in. Offline access outlives it. */
  | { sessionUid: string; ofSubject?: string | undefined }
  /** What a person has allowed in one sign-in or login. */
  | { grantId: string };

/** Stores an entry of the denylist. */
type Deny = (entry: DenylistEntry) => Promise<void>;

/**
 * Ends access. Returns false if there was no session or no grant.
 *
 * @param deny by default, stores the entry in the transaction
 */
export async function endAccess(
  connection: pg.ClientBase,
  access: Access,
  deny: Deny = (entry) => addDenylistEntry(connection, entry),
): Promise<boolean> {
  if ("sessionUid" in access) return await endSignedInSession(connection, access);
  if ("grantId" in access) return await endGrant(connection, access.grantId, deny);
  const { subject, clientId } = access;
  if (clientId !== undefined) return await endAtClient(connection, { clientId, subject }, deny);
  await endSubject(connection, subject, deny);
  return true;
}

async function endSignedInSession(
  connection: pg.ClientBase,
  { sessionUid, ofSubject }: { sessionUid: string; ofSubject?: string | undefined },
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `select from auth.provider_records
     where model = 'Session' and uid = $1 and account_id is not null
       and ($2::text is null or account_id = $2)
     for update`,
    [sessionUid, ofSubject],
  );
  return rowCount === 1 && (await endSessionByUid(connection, sessionUid));
}

/** As an interval of PostgreSQL. */
const clockDifferenceMax = "10 minutes";

async function endSubject(connection: pg.ClientBase, subject: string, deny: Deny): Promise<void> {
  await endSessionsOf(connection, subject);
  await removeRecords(connection, { accountId: subject });
  const issuedBefore = nextSecond();
  const expiresAt = issuedBefore + subjectRevokedSeconds;
  await deny({ kind: "sub", value: subject, issuedBefore, expiresAt });
  // The process that issued a token may have a clock that is ahead of ours. Then the entry above
  // does not cover the token, so each token that was recorded lately gets an entry of its own.
  const recent = `subject = $1 and issued_at > now() - interval '${clockDifferenceMax}'`;
  for (const value of await findValidTokens(connection, recent, [subject])) {
    await deny({ kind: "jti", value, expiresAt });
  }
}

/** A running request may still issue a token to a client for itself, at most so much later. */
const underWaySeconds = 60;

/** Ends what a client does for one person, or for itself and all people. */
async function endAtClient(
  connection: pg.ClientBase,
  { clientId, subject }: { clientId: string; subject: string | undefined },
  deny: Deny,
): Promise<boolean> {
  const isForAll = subject === undefined;
  const grantIds = isForAll
    ? await removeRecords(connection, { clientId })
    : await removeGrants(connection, { accountId: subject, clientId });
  const issuedBefore = nextSecond();
  const expiresAt = issuedBefore + underWaySeconds + acceptedSecondsMax;
  const entry = { kind: "client", value: clientId, issuedBefore, expiresAt } as const;
  await deny(isForAll ? entry : { ...entry, subject });
  if (isForAll) {
    const itself = serviceAccountUrn(clientId);
    await deny({ ...entry, subject: itself, issuedBefore: issuedBefore + underWaySeconds });
  }
  await denyExchanged(connection, { grantIds, clientId }, deny);
  return grantIds.length > 0;
}

async function endGrant(connection: pg.ClientBase, grantId: string, deny: Deny): Promise<boolean> {
  // From now on no token can be issued: see RecordAuthorisation.
  const { rows } = await connection.query<{ clientId: string | null }>(
    `select client_id as "clientId" from auth.provider_records
     where model = 'Grant' and id_hash = $1 for update`,
    [recordIdHash(grantId)],
  );
  const clientId = rows[0]?.clientId ?? null;
  const own = "grant_id = $1 and ($2::uuid is null or client_id = $2)";
  const expiresAt = nextSecond() + acceptedSecondsMax;
  for (const value of await findValidTokens(connection, own, [grantId, clientId])) {
    await deny({ kind: "jti", value, expiresAt });
  }
  if (clientId !== null) await denyExchanged(connection, { grantIds: [grantId], clientId }, deny);
  await connection.query(
    // Interactions remain: they lead to another grant.
    "delete from auth.provider_records where grant_id = $1 and model <> 'Interaction'",
    [grantId],
  );
  return rows.length === 1;
}

/**
 * Denies the tokens that other clients have got by exchange, which rest on the same grants. These
 * clients lose their other tokens for the same people too, and can exchange again.
 */
async function denyExchanged(
  connection: pg.ClientBase,
  { grantIds, clientId }: { grantIds: readonly string[]; clientId: string },
  deny: Deny,
): Promise<void> {
  const { rows } = await connection.query<{ value: string; subject: string }>(
    `select distinct client_id as value, subject from auth.authorisations
     where grant_id = any($1) and client_id <> $2 and ${mayBeValid}`,
    [grantIds, clientId],
  );
  const issuedBefore = nextSecond();
  const expiresAt = issuedBefore + acceptedSecondsMax;
  for (const other of rows) await deny({ kind: "client", ...other, issuedBefore, expiresAt });
}

const mayBeValid = `issued_at > now() - make_interval(secs => ${acceptedSecondsMax})`;

/**
 * Finds the IDs of tokens that may still be valid. A grant and a person have some hundred at most.
 *
 * @param condition selects rows of `auth.authorisations`
 */
export async function findValidTokens(
  connection: pg.ClientBase | pg.Pool,
  condition: string,
  values: readonly unknown[],
): Promise<string[]> {
  const { rows } = await connection.query<{ tokenId: string }>(
    `select token_id as "tokenId" from auth.authorisations
     where ${mayBeValid} and (${condition})`,
    [...values],
  );
  return rows.map(({ tokenId }) => tokenId);
}

/** Times of issue and of sign-ins are in whole seconds. This includes the current second. */
export function nextSecond(): number {
  return Math.floor(Date.now() / 1000) + 1;
}
