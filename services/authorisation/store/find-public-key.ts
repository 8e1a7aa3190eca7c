/** The public key of one key that signs or has signed. */
import { createPublicKey, type KeyObject } from "node:crypto";
import type pg from "pg";

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
