/** Changes the keys that sign tokens, one change at a time, whoever makes it. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import type { KeyTimes } from "../signing/key-times.ts";
import type { SealedKey } from "../signing/sealed-key.ts";
import type { KeyPair } from "../signing/signing-key.ts";

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
