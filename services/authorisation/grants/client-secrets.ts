/** Authenticates clients: compares the secrets that they show with the stored hashes. */
import type Provider from "oidc-provider";
import type { Client } from "oidc-provider";
import type { ConcurrencyLimit } from "../limits/concurrency-limit.ts";
import { isKeyedHash, matchesKeyedHash } from "../model/keyed-hash.ts";
import { matchesSecret } from "../model/scrypt-hash.ts";
import { compareSecretsByHash } from "../overrides/client-secrets.ts";
import { registeredClient } from "./registered-client.ts";
import { RememberedSecrets } from "./remembered-secrets.ts";

/** What the comparison needs. */
interface ComparisonOptions {
  /** See store/server-keys.ts. */
  key: Buffer;
  /** Limits the slow comparisons: of secrets that people chose. */
  hashing: ConcurrencyLimit;
}

/** Has the provider compare secrets with the hashes. */
export function compareClientSecrets(
  provider: Provider,
  { key, hashing }: ComparisonOptions,
): void {
  const remembered = new RememberedSecrets();
  const matchesSlowly = async (presented: string, hash: string) => {
    const isRight = await hashing.run(() => matchesSecret(presented, hash));
    if (isRight) remembered.add(presented, hash);
    return isRight;
  };

  const matches = async (presented: string, client: Client): Promise<boolean> => {
    const { secretHashes } = registeredClient(client);
    const isKnown = (hash: string) =>
      isKeyedHash(hash) ? matchesKeyedHash(presented, hash, key) : remembered.has(presented, hash);
    if (secretHashes.some(isKnown)) return true;
    for (const hash of secretHashes) {
      if (!isKeyedHash(hash) && (await matchesSlowly(presented, hash))) return true;
    }
    return false;
  };
  compareSecretsByHash(provider, matches);
}
