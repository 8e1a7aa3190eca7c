/** Erases private keys that have signed their last. */
import type pg from "pg";

/** Erases the private keys of these keys; the rest stays, as a record and for what they signed. */
export async function erasePrivateKeys(pool: pg.Pool, keyIds: readonly string[]): Promise<void> {
  await pool.query(
    `update auth.signing_keys set encrypted_private_key = null, encryption_key_id = null
     where key_id = any ($1)`,
    [keyIds],
  );
}
