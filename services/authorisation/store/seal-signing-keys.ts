/** Keys on record that are not encrypted, or not with the key that they should be. */
import type pg from "pg";
import type { SealedKey } from "../signing/sealed-key.ts";
import type { KeyPair } from "../signing/signing-key.ts";

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
