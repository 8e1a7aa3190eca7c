/**
 * Remembers which chosen secrets were right, so that each process compares them slowly once.
 * Otherwise, anybody who knows the ID of a client could delay other clients with wrong secrets.
 */
import { randomBytes } from "node:crypto";
import { keyedHash, matchesKeyedHash } from "../model/keyed-hash.ts";

/** More than there are clients: people add them. */
const secretsMax = 10_000;

export class RememberedSecrets {
  /** Only this process knows the key. Without it, nobody can test secrets with these hashes. */
  readonly #key = randomBytes(32);
  /** Fast hashes of secrets, by the slow hash that is stored. */
  readonly #hashes = new Map<string, string>();

  /** Remembers that a secret is the one of a slow hash. */
  add(secret: string, slowHash: string): void {
    if (this.#hashes.size >= secretsMax) this.#hashes.clear();
    this.#hashes.set(slowHash, keyedHash(secret, this.#key));
  }

  /** Whether a secret is known to be the one of a slow hash. */
  has(secret: string, slowHash: string): boolean {
    const hash = this.#hashes.get(slowHash);
    return hash !== undefined && matchesKeyedHash(secret, hash, this.#key);
  }
}
