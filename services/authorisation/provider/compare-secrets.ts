/** How clients are authenticated: by secrets whose hashes are stored. */
import type Provider from "oidc-provider";
import { type ComparisonOptions, secretComparison } from "../grants/client-secrets.ts";
import { EvenTiming } from "../limits/even-timing.ts";
import { compareSecretsByHash } from "../overrides/client-secrets.ts";

/** Failed client authentications take this long. Comparing a chosen secret takes some 30 ms. */
const failureMs = 100;

/** Configures the override. */
export function compareSecrets(
  provider: Provider,
  options: Omit<ComparisonOptions, "timing">,
): void {
  const timing = new EvenTiming(failureMs);
  compareSecretsByHash(provider, {
    matches: secretComparison({ ...options, timing }),
    settle: (startedAt) => timing.settle(startedAt),
  });
}
