import type { Denylist } from "@stowage/access-token";
import type { Logger } from "@stowage/process";
import type pg from "pg";
import type { UserCodeRates } from "../devices/user-code-limits.ts";
import type { ReportFault } from "../http/error-answers.ts";
import type { IdentityProvider } from "../identity-provider/settings.ts";
import type { RateLimiter } from "../limits/rate-limiter.ts";
import type { ServiceMetrics } from "../metrics/service-metrics.ts";
import type { Lifetimes } from "../model/lifetimes.ts";
import type { LoginAttempts } from "../sign-in/login-attempts.ts";
import type { KeyRing } from "../signing/key-ring.ts";

/** What the provider needs. */
export interface ProviderOptions {
  /** The issuer, exactly as it must be in tokens. */
  authUrl: string;
  /** Identifiers of the resource servers; the first is the default. */
  audiences: readonly string[];
  signingKeys: KeyRing;
  /** How long a new key is published before it signs. */
  keyPublicationSeconds: number;
  denylist: Denylist;
  /** How often one client may ask for tokens. */
  clientRate: RateLimiter;
  lifetimes: Lifetimes;
  /** See store/server-keys.ts. */
  clientSecretKey: Buffer;
  sessionKey: Buffer;
  attempts: LoginAttempts;
  /** Another provider at which people may sign in. */
  identityProvider: IdentityProvider | undefined;
  userCodeRates: UserCodeRates;
  pool: pg.Pool;
  metrics: ServiceMetrics;
  reportFault: ReportFault;
  logger: Logger;
}
