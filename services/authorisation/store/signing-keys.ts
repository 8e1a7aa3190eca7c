/** The keys that sign tokens, and the time by the database's clock at which they were read. */

import { createPublicKey, type KeyObject } from "node:crypto";
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { type KeyTimes, keptAfterRetirementSeconds } from "../model/key-times.ts";
import type { SealedKey } from "../model/sealed-key.ts";
import type { KeyPair } from "../model/signing-key.ts";

/** A key as stored. */
export interface StoredKey extends KeyTimes {
  /** SPKI. */
  readonly publicKeyPem: string;
  /** Gone once the key is out of the key set. */
  readonly sealedKey: SealedKey | undefined;
}

/** What was there at one moment. */
export interface KeysRead {
  readonly keys: readonly StoredKey[];
  readonly nowMs: number;
}

/**
 * Reads the keys, the oldest first.
 *
 * @param which `current`: those of the key set, and those whose private key should be gone by now;
 *   `all`: also those that were removed or withdrawn
 */
export async function readSigningKeys(
  database: pg.Pool | pg.ClientBase,
  which: "current" | "all",
): Promise<KeysRead> {
  const { rows } = await database.query<Row>({
    name: `read-${which}-signing-keys`,
    text: `${select} ${conditions[which]} order by created_at, key_id`,
  });
  const nowMs = rows[0]?.nowMs;
  if (nowMs === undefined) throw new Error("Cannot read the signing keys: got no row");
  return { nowMs, keys: rows.filter(({ keyId }) => keyId !== null).map(toStoredKey) };
}

/** One without a key says what time it is where there is none. */
interface Row {
  nowMs: number;
  keyId: string;
  createdAtMs: number;
  signsFromMs: number;
  retiredAtMs: number | null;
  withdrawnAtMs: number | null;
  publicKeyPem: string;
  encryptedPrivateKey: Buffer | null;
  encryptionKeyId: string | null;
}

function toStoredKey(row: Row): StoredKey {
  const { nowMs: _, retiredAtMs, withdrawnAtMs, ...key } = row;
  const { encryptedPrivateKey: bytes, encryptionKeyId, ...rest } = key;
  return {
    ...rest,
    retiredAtMs: retiredAtMs ?? undefined,
    withdrawnAtMs: withdrawnAtMs ?? undefined,
    sealedKey: bytes && encryptionKeyId ? { encryptionKeyId, bytes } : undefined,
  };
}

/** Whole milliseconds of Unix time. */
function milliseconds(time: string): string {
  return `floor(extract(epoch from ${time}) * 1000)::float8`;
}

// A key of the version before is no key yet: see seal-plain-keys.ts.
const select = `
  select ${milliseconds("statement_timestamp()")} as "nowMs", key_id as "keyId",
    ${milliseconds("created_at")} as "createdAtMs", ${milliseconds("signs_from")} as "signsFromMs",
    ${milliseconds("retired_at")} as "retiredAtMs",
    ${milliseconds("withdrawn_at")} as "withdrawnAtMs", public_key_pem as "publicKeyPem",
    encrypted_private_key as "encryptedPrivateKey", encryption_key_id as "encryptionKeyId"
  from (values (1)) as one left join auth.signing_keys on public_key_pem is not null`;

const conditions = {
  current: `and withdrawn_at is null and (
    retired_at is null or encrypted_private_key is not null
    or retired_at > statement_timestamp() - interval '${keptAfterRetirementSeconds} seconds')`,
  all: "",
};

/** Longest wait for whoever changes the keys now; it takes them milliseconds. */
const lockTimeoutMs = 10_000;

/**
 * Runs a change in a transaction, in which nobody else can change the keys. All of it happens, or
 * nothing.
 */
export async function changeSigningKeys<T>(
  pool: pg.Pool,
  change: (connection: pg.ClientBase) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (connection) => {
    await connection.query(`set local lock_timeout = ${lockTimeoutMs}`);
    await connection.query("lock table auth.signing_keys in share row exclusive mode");
    return change(connection);
  });
}

/** Stores a new key, encrypted. */
export async function insertSigningKey(
  connection: pg.ClientBase,
  times: KeyTimes,
  { publicKeyPem }: Pick<KeyPair, "publicKeyPem">,
  { bytes, encryptionKeyId }: SealedKey,
): Promise<void> {
  await connection.query(
    `insert into auth.signing_keys (key_id, created_at, signs_from, public_key_pem,
       encrypted_private_key, encryption_key_id)
     values ($1, ${time("$2")}, ${time("$3")}, $4, $5, $6)`,
    [times.keyId, times.createdAtMs, times.signsFromMs, publicKeyPem, bytes, encryptionKeyId],
  );
}

/** Stores when a key signs, from and to. A withdrawn one loses its private key. */
export async function updateKeyTimes(connection: pg.ClientBase, times: KeyTimes): Promise<void> {
  await connection.query(
    `update auth.signing_keys
     set signs_from = ${time("$2")}, retired_at = ${time("$3")}, withdrawn_at = ${time("$4")},
       encrypted_private_key = case when $4::float8 is null then encrypted_private_key end,
       encryption_key_id = case when $4::float8 is null then encryption_key_id end
     where key_id = $1`,
    [times.keyId, times.signsFromMs, times.retiredAtMs, times.withdrawnAtMs],
  );
}

/** A Unix time in milliseconds; null stays null. */
function time(parameter: string): string {
  return `to_timestamp(${parameter}::float8 / 1000)`;
}

/** A key as the version before stored it. */
export interface PlainKey {
  keyId: string;
  privateKeyPem: string;
}

/** Finds keys that lie there as they are. */
export async function findPlainKeys(connection: pg.ClientBase): Promise<PlainKey[]> {
  const { rows } = await connection.query<PlainKey>(`
    select key_id as "keyId", private_key_pem as "privateKeyPem"
    from auth.signing_keys where private_key_pem is not null`);
  return rows;
}

/** Puts an encrypted private key in place of what was there. */
export async function replacePrivateKey(
  connection: pg.ClientBase,
  keyId: string,
  { publicKeyPem }: Pick<KeyPair, "publicKeyPem">,
  { bytes, encryptionKeyId }: SealedKey,
): Promise<void> {
  await connection.query(
    `update auth.signing_keys
     set private_key_pem = null, public_key_pem = $2, encrypted_private_key = $3,
       encryption_key_id = $4
     where key_id = $1`,
    [keyId, publicKeyPem, bytes, encryptionKeyId],
  );
}

/** Whether any private key is encrypted, so that there must be a key that opens it. */
export async function isAnyKeySealed(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    "select from auth.signing_keys where encrypted_private_key is not null limit 1",
  );
  return rowCount === 1;
}

/** A SHA-256 thumbprint in base64url; anything else is no key's ID. */
const keyIdPattern = /^[\w-]{43}$/;

/** Finds it by its exact ID, unless the key was withdrawn. */
export async function findPublicKey(pool: pg.Pool, keyId: string): Promise<KeyObject | undefined> {
  if (!keyIdPattern.test(keyId)) return undefined;
  const { rows } = await pool.query<{ pem: string }>({
    name: "find-public-key",
    text: `
      select public_key_pem as pem from auth.signing_keys
      where key_id = $1 and public_key_pem is not null and withdrawn_at is null`,
    values: [keyId],
  });
  return rows[0] && createPublicKey(rows[0].pem);
}

/** Erases the private keys of these keys; the rest stays, as a record and for what they signed. */
export async function erasePrivateKeys(pool: pg.Pool, keyIds: readonly string[]): Promise<void> {
  await pool.query(
    `update auth.signing_keys set encrypted_private_key = null, encryption_key_id = null
     where key_id = any ($1)`,
    [keyIds],
  );
}
