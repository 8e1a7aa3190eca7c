/** Authenticates clients: compares the secrets that they show with the stored hashes. */
import type Provider from "oidc-provider";
import type { Client } from "oidc-provider";
import type pg from "pg";
import type { ConcurrencyLimit } from "../limits/concurrency-limit.ts";
import { ResponseTimePadding } from "../limits/response-time-padding.ts";
import { isGeneratedSecret } from "../model/credentials.ts";
import { isKeyedHash, keyedHash, matchesKeyedHash } from "../model/keyed-hash.ts";
import { matchesSecret } from "../model/scrypt-hash.ts";
import { compareSecretsByHash } from "../overrides/client-secrets.ts";
import { type ClientSecret, replaceHash } from "../store/client-secrets.ts";
import { registeredClient } from "./registered-client.ts";
import { RememberedSecrets } from "./remembered-secrets.ts";

/** What the comparison needs. */
interface ComparisonOptions {
  pool: pg.Pool;
  /** See store/server-keys.ts. */
  key: Buffer;
  /** Limits the slow comparisons: of secrets that people chose. */
  hashing: ConcurrencyLimit;
}

/**
 * Failed client authentications take this long, or a multiple. Comparing a chosen secret takes some
 * 30 ms.
 */
const failureMs = 100;

/** Has the provider compare secrets with the hashes. */
export function compareClientSecrets(
  provider: Provider,
  { pool, key, hashing }: ComparisonOptions,
): void {
  const padding = new ResponseTimePadding(hashing, failureMs);
  const remembered = new RememberedSecrets();
  const matchesSlowly = async (presented: string, { secretId, hash, isChosen }: ClientSecret) => {
    const isRight = await padding.compare(() => matchesSecret(presented, hash));
    if (isRight) remembered.add(presented, hash);
    // Earlier versions hashed generated secrets slowly too.
    if (isRight && secretId !== null && !isChosen && isGeneratedSecret(presented)) {
      await replaceHash(pool, secretId, keyedHash(presented, key));
    }
    return isRight;
  };

  const matches = async (presented: string, client: Client): Promise<boolean> => {
    const { secrets } = registeredClient(client);
    const isKnown = ({ hash }: ClientSecret) =>
      isKeyedHash(hash) ? matchesKeyedHash(presented, hash, key) : remembered.has(presented, hash);
    if (secrets.some(isKnown)) return true;
    for (const secret of secrets) {
      if (!isKeyedHash(secret.hash) && (await matchesSlowly(presented, secret))) return true;
    }
    return false;
  };
  compareSecretsByHash(provider, { matches, pad: (startedAt) => padding.pad(startedAt) });
}
