/** Compares the secrets that clients show with the stored hashes. */
import type { Client } from "oidc-provider";
import type pg from "pg";
import type { BoundedWork } from "../limits/bounded-work.ts";
import type { EvenTiming } from "../limits/even-timing.ts";
import { isGeneratedSecret } from "../model/credentials.ts";
import { isKeyedHash, keyedHash, matchesKeyedHash } from "../model/keyed-hash.ts";
import { matchesSecret } from "../model/scrypt-hash.ts";
import { type ClientSecret, replaceHash } from "../store/client-secrets.ts";
import { registeredClient } from "./registered-client.ts";

/** What the comparison needs. */
export interface ComparisonOptions {
  pool: pg.Pool;
  /** See store/server-keys.ts. */
  key: Buffer;
  /** Limits the slow comparisons: of secrets that people chose. */
  hashing: BoundedWork;
  timing: EvenTiming;
}

/** Makes a function that tells whether a client has a secret. It may reject with a BusyError. */
export function secretComparison({ pool, key, hashing, timing }: ComparisonOptions) {
  const matchesSlowly = async (presented: string, { secretId, hash, isChosen }: ClientSecret) => {
    const isRight = await timing.compare(() => hashing(() => matchesSecret(presented, hash)));
    // Earlier versions hashed generated secrets slowly too.
    if (isRight && secretId !== null && !isChosen && isGeneratedSecret(presented)) {
      await replaceHash(pool, secretId, keyedHash(presented, key));
    }
    return isRight;
  };

  return async (presented: string, client: Client): Promise<boolean> => {
    const { secrets } = registeredClient(client);
    const fast = secrets.filter(({ hash }) => isKeyedHash(hash));
    if (fast.some(({ hash }) => matchesKeyedHash(presented, hash, key))) return true;
    for (const secret of secrets) {
      if (!isKeyedHash(secret.hash) && (await matchesSlowly(presented, secret))) return true;
    }
    return false;
  };
}
