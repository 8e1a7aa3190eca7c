/** Stores the keys that sign tokens. */
import { createPublicKey, type KeyObject } from "node:crypto";
import { inTransaction, type Sealed } from "@stowage/process";
import type pg from "pg";
import { type KeyTimes, keptAfterRetirementSeconds } from "../model/key-times.ts";
import type { KeyPair } from "../model/signing-key.ts";

export interface StoredKey extends KeyTimes {
  /** SPKI. */
  readonly publicKeyPem: string;
  /** Erased when the key has left the key set. */
  readonly sealedKey: Sealed | undefined;
}

/** The keys, and the time of the database at which they were read. */
export interface KeysRead {
  readonly keys: readonly StoredKey[];
  readonly nowMs: number;
}

/**
 * Reads the keys, the oldest first.
 *
 * @param which `current`: the keys of the key set, and those whose private key must be erased;
 *   `all`: also removed and withdrawn keys
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

/** If there are no keys, one row has only the time. */
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

/** A Unix time in whole milliseconds. */
function milliseconds(time: string): string {
  return `floor(extract(epoch from ${time}) * 1000)::float8`;
}

const select = `
  select ${milliseconds("statement_timestamp()")} as "nowMs", key_id as "keyId",
    ${milliseconds("created_at")} as "createdAtMs", ${milliseconds("signs_from")} as "signsFromMs",
    ${milliseconds("retired_at")} as "retiredAtMs",
    ${milliseconds("withdrawn_at")} as "withdrawnAtMs", public_key_pem as "publicKeyPem",
    encrypted_private_key as "encryptedPrivateKey", encryption_key_id as "encryptionKeyId"
  from (values (1)) as one left join auth.signing_keys on true`;

const conditions = {
  current: `and withdrawn_at is null and (
    retired_at is null or encrypted_private_key is not null
    or retired_at > statement_timestamp() - interval '${keptAfterRetirementSeconds} seconds')`,
  all: "",
};

/** The longest wait for another change, which takes milliseconds. */
const lockTimeoutMs = 10_000;

/** Runs a change in a transaction that excludes all other changes of the keys. */
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

/** Adds a key. */
export async function insertSigningKey(
  connection: pg.ClientBase,
  times: KeyTimes,
  { publicKeyPem }: Pick<KeyPair, "publicKeyPem">,
  { bytes, encryptionKeyId }: Sealed,
): Promise<void> {
  await connection.query(
    `insert into auth.signing_keys (key_id, created_at, signs_from, public_key_pem,
       encrypted_private_key, encryption_key_id)
     values ($1, ${time("$2")}, ${time("$3")}, $4, $5, $6)`,
    [times.keyId, times.createdAtMs, times.signsFromMs, publicKeyPem, bytes, encryptionKeyId],
  );
}

/** Changes the times of a key. Withdrawing it erases its private key. */
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

/** A timestamp from a Unix time in milliseconds or null. */
function time(parameter: string): string {
  return `to_timestamp(${parameter}::float8 / 1000)`;
}

/** Replaces the encrypted private key of a key: it is encrypted with another key now. */
export async function replacePrivateKey(
  connection: pg.ClientBase,
  keyId: string,
  { bytes, encryptionKeyId }: Sealed,
): Promise<void> {
  await connection.query(
    `update auth.signing_keys set encrypted_private_key = $2, encryption_key_id = $3
     where key_id = $1`,
    [keyId, bytes, encryptionKeyId],
  );
}

/** Whether any private key is encrypted. */
export async function isAnyKeySealed(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    "select from auth.signing_keys where encrypted_private_key is not null limit 1",
  );
  return rowCount === 1;
}

/** The ID of a key is a SHA-256 thumbprint in base64url. */
const keyIdPattern = /^[\w-]{43}$/;

/** Finds a public key by its ID, unless the key was withdrawn. */
export async function findPublicKey(pool: pg.Pool, keyId: string): Promise<KeyObject | undefined> {
  if (!keyIdPattern.test(keyId)) return undefined;
  const { rows } = await pool.query<{ pem: string }>({
    name: "find-public-key",
    text: `
      select public_key_pem as pem from auth.signing_keys
      where key_id = $1 and withdrawn_at is null`,
    values: [keyId],
  });
  return rows[0] && createPublicKey(rows[0].pem);
}

/** Erases private keys. The rest stays, to verify what they signed. */
export async function erasePrivateKeys(pool: pg.Pool, keyIds: readonly string[]): Promise<void> {
  await pool.query(
    `update auth.signing_keys set encrypted_private_key = null, encryption_key_id = null
     where key_id = any ($1)`,
    [keyIds],
  );
}
