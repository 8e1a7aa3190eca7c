/** The rows of sessions. All times are compared by the clock of the database. */
import type { Sealed } from "@stowage/process";
import type pg from "pg";

/** Who is signed in, as the issuer describes them. */
export interface Person {
  /** The stable URN of the person. */
  readonly subject: string;
  /** The session at the issuer; null if it names none. */
  readonly issuerSessionId: string | null;
  readonly name: string | null;
  readonly loginName: string | null;
  readonly email: string | null;
}

/** The tokens of a session, encrypted. */
interface StoredTokens {
  readonly sealed: Sealed;
  /** Seconds until the access token expires. */
  readonly accessSeconds: number;
}

export interface StoredSession extends Person, StoredTokens {
  readonly hash: Buffer;
  /** Seconds since the sign-in. */
  readonly ageSeconds: number;
  /** Seconds since the last request. */
  readonly idleSeconds: number;
}

type Database = pg.Pool | pg.ClientBase;

const columns = `session_hash as hash, subject, issuer_session_id as "issuerSessionId", name,
  login_name as "loginName", email, encryption_key_id as "encryptionKeyId",
  sealed_tokens as "sealedTokens",
  extract(epoch from access_expires_at - now())::float8 as "accessSeconds",
  extract(epoch from now() - created_at)::float8 as "ageSeconds",
  extract(epoch from now() - last_used_at)::float8 as "idleSeconds"`;

type Row = Omit<StoredSession, "sealed"> & { encryptionKeyId: string; sealedTokens: Buffer };

function sessionOf({ encryptionKeyId, sealedTokens, ...row }: Row): StoredSession {
  return { ...row, sealed: { encryptionKeyId, bytes: sealedTokens } };
}

/**
 * Adds a session, and removes the oldest ones of the same person beyond `sessionsMax`. Returns
 * those that it has removed.
 */
export async function addSession(
  database: Database,
  session: Person & StoredTokens & Pick<StoredSession, "hash">,
  sessionsMax: number,
): Promise<StoredSession[]> {
  const { hash, subject, issuerSessionId, name, loginName, email, sealed } = session;
  await database.query(
    `insert into web.sessions (session_hash, subject, issuer_session_id, name, login_name, email,
       encryption_key_id, sealed_tokens, access_expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(secs => $9))`,
    [
      hash,
      subject,
      issuerSessionId,
      name,
      loginName,
      email,
      sealed.encryptionKeyId,
      sealed.bytes,
      session.accessSeconds,
    ],
  );
  const { rows } = await database.query<Row>(
    `delete from web.sessions where session_hash in (
       select session_hash from web.sessions where subject = $1
       order by created_at desc, session_hash offset $2)
     returning ${columns}`,
    [subject, sessionsMax],
  );
  return rows.map(sessionOf);
}

/** Returns those of the sessions at the issuer that a session here still belongs to. */
export async function issuerSessionsInUse(
  database: Database,
  issuerSessionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await database.query<{ id: string }>(
    `select distinct issuer_session_id as id from web.sessions
     where issuer_session_id = any($1::text[])`,
    [issuerSessionIds],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Finds a session, even one whose time is up. */
export async function findSession(
  database: Database,
  hash: Buffer,
): Promise<StoredSession | undefined> {
  const { rows } = await database.query<Row>({
    name: "find-session",
    text: `select ${columns} from web.sessions where session_hash = $1`,
    values: [hash],
  });
  return rows.map(sessionOf)[0];
}

/** The same, and locks the row until the transaction ends. */
export async function lockSession(
  client: pg.ClientBase,
  hash: Buffer,
): Promise<StoredSession | undefined> {
  const { rows } = await client.query<Row>(
    `select ${columns} from web.sessions where session_hash = $1 for update`,
    [hash],
  );
  return rows.map(sessionOf)[0];
}

/** Stores the time of a request. Does not wait if the row is locked. */
export async function touchSession(database: Database, hash: Buffer): Promise<void> {
  await database.query({
    name: "touch-session",
    text: `update web.sessions set last_used_at = now() where session_hash in (
             select session_hash from web.sessions where session_hash = $1 for update skip locked)`,
    values: [hash],
  });
}

/** Stores tokens that replace the earlier ones. */
export async function storeTokens(
  database: Database,
  hash: Buffer,
  { sealed, accessSeconds }: StoredTokens,
): Promise<void> {
  await database.query(
    `update web.sessions set encryption_key_id = $2, sealed_tokens = $3,
       access_expires_at = now() + make_interval(secs => $4) where session_hash = $1`,
    [hash, sealed.encryptionKeyId, sealed.bytes, accessSeconds],
  );
}

/** Removes a session. Returns what it was; undefined if there was none. */
export async function removeSession(
  database: Database,
  hash: Buffer,
): Promise<StoredSession | undefined> {
  const { rows } = await database.query<Row>(
    `delete from web.sessions where session_hash = $1 returning ${columns}`,
    [hash],
  );
  return rows.map(sessionOf)[0];
}

/** Removes the sessions that a logout token names. Returns their number. */
export async function removeSessionsOf(
  database: Database,
  { subject, issuerSessionId }: { subject: string | null; issuerSessionId: string | null },
): Promise<number> {
  const { rowCount } = await database.query(
    `delete from web.sessions where (subject = $1 or $1 is null)
       and (issuer_session_id = $2 or $2 is null) and not ($1 is null and $2 is null)`,
    [subject, issuerSessionId],
  );
  return rowCount ?? 0;
}

const pruneBatch = 1000;

/** Removes a batch of sessions whose time is up. Returns their number. */
export async function pruneSessions(
  database: Database,
  { idleSecondsMax, ageSecondsMax }: { idleSecondsMax: number; ageSecondsMax: number },
): Promise<number> {
  const { rowCount } = await database.query(
    `delete from web.sessions where session_hash in (
       select session_hash from web.sessions
       where last_used_at < now() - make_interval(secs => $1)
          or created_at < now() - make_interval(secs => $2)
       limit ${pruneBatch} for update skip locked)`,
    [idleSecondsMax, ageSecondsMax],
  );
  return rowCount ?? 0;
}

/** Whether tokens of any session are encrypted in the database. */
export async function isAnySessionStored(database: Database): Promise<boolean> {
  const { rowCount } = await database.query("select from web.sessions limit 1");
  return rowCount !== 0;
}
