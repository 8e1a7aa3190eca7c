/**
 * Hashes secrets with scrypt, and compares them in constant time.
 *
 * A hash is a PHC string, `$scrypt$ln=14,r=8,p=1$<salt>$<hash>`: a later cost does not invalidate
 * earlier hashes.
 */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";

const saltBytes = 16;
const hashBytes = 32;

/** The cost of hashing: 128 * r * 2^ln bytes, p times. */
interface ScryptCost {
  /** Base-2 logarithm of the number of rounds. */
  ln: number;
  r: number;
  p: number;
}

/** Hashes a secret with a random salt. */
export async function hashSecret(secret: string, cost: ScryptCost): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await derive(secret, salt, hashBytes, cost);
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${encode(salt)}$${encode(hash)}`;
}

/** Whether a secret is the one that was hashed. */
export async function matchesSecret(secret: string, phc: string): Promise<boolean> {
  const { salt, hash, ...cost } = parse(phc);
  return timingSafeEqual(await derive(secret, salt, hash.length, cost), hash);
}

function parse(phc: string): ScryptCost & { salt: Buffer; hash: Buffer } {
  const match = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(
    phc,
  );
  const [, ln, r, p, salt, hash] = match ?? [];
  if (salt === undefined || hash === undefined) {
    throw new Error("Cannot read the hash of a secret: need a PHC string of scrypt");
  }
  return {
    ln: Number(ln),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, "base64"),
    hash: Buffer.from(hash, "base64"),
  };
}

function derive(
  secret: string,
  salt: Buffer,
  bytes: number,
  { ln, r, p }: ScryptCost,
): Promise<Buffer> {
  const N = 2 ** ln;
  // scrypt needs a little more than 128 * N * r bytes, and Node has a lower limit by default.
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, bytes, options, (error, hash) => (error ? reject(error) : resolve(hash)));
  });
}

/** PHC strings have base64 without padding. */
function encode(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
