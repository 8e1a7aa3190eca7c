/**
 * The key that signs tokens: made on the first start, kept in the database, and the same for
 * every process and after every restart.
 */
import { createHash, createPrivateKey, createPublicKey, generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type pg from "pg";

/** RFC 7518 section 3.3 asks for 2048 or more; larger ones only make every signature slower. */
const modulusBits = 2048;

/** An RSA key pair. */
export interface SigningKey {
  /** The RFC 7638 thumbprint of the public key. */
  keyId: string;
  /** PKCS #8. */
  privateKeyPem: string;
}

/** Gives the signing key, and makes it where there is none. Processes that race agree on one. */
export async function ensureSigningKey(pool: pg.Pool): Promise<SigningKey> {
  const stored = await findSigningKey(pool);
  return stored ?? keepFirst(pool, await generateSigningKey());
}

async function findSigningKey(database: pg.Pool | pg.PoolClient): Promise<SigningKey | undefined> {
  const { rows } = await database.query<SigningKey>(`
    select key_id as "keyId", private_key_pem as "privateKeyPem"
    from auth.signing_keys order by created_at desc, key_id limit 1`);
  return rows[0];
}

async function keepFirst(pool: pg.Pool, candidate: SigningKey): Promise<SigningKey> {
  const connection = await pool.connect();
  try {
    await connection.query("begin");
    // Whoever takes the lock first stores its key; the others then find that one and drop theirs.
    await connection.query("lock table auth.signing_keys in share row exclusive mode");
    let kept = await findSigningKey(connection);
    if (kept === undefined) {
      await connection.query(
        "insert into auth.signing_keys (key_id, private_key_pem) values ($1, $2)",
        [candidate.keyId, candidate.privateKeyPem],
      );
      kept = candidate;
    }
    await connection.query("commit");
    connection.release();
    return kept;
  } catch (error) {
    connection.release(true);
    throw error;
  }
}

async function generateSigningKey(): Promise<SigningKey> {
  // By way of PEM: exporting a freshly generated KeyObject as JWK has been seen to hang.
  const { privateKey } = await promisify(generateKeyPair)("rsa", {
    modulusLength: modulusBits,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return { keyId: thumbprintOf(privateKey), privateKeyPem: privateKey };
}

/** RFC 7638 section 3: the required members, in lexicographic order, without white space. */
function thumbprintOf(privateKeyPem: string): string {
  const { e, kty, n } = createPublicKey(createPrivateKey(privateKeyPem)).export({ format: "jwk" });
  return createHash("sha256").update(JSON.stringify({ e, kty, n })).digest("base64url");
}
