/** Codes and refresh tokens are used once: what is checked, counted and stored then. */
import type { KeyObject } from "node:crypto";
import type { Denylist } from "@stowage/access-token";
import type Provider from "oidc-provider";
import type pg from "pg";
import { checkTokenRequest } from "../grants/person-tokens.ts";
import { countRequest, type RateLimiter } from "../limits/rate-limiter.ts";
import type { Lifetimes } from "../model/lifetimes.ts";
import { consumeAfterChecks } from "../overrides/token-consumption.ts";
import { redeemCode, rotateRefreshToken, useCode } from "../store/refresh-tokens.ts";
import { resourceIndicators } from "./access-features.ts";
import { revokeAndRecord } from "./record-events.ts";

/** What this needs. */
interface RedeemOptions {
  /** The issuer. */
  authUrl: string;
  /** Identifiers of the resource servers. */
  audiences: readonly string[];
  lifetimes: Lifetimes;
  pool: pg.Pool;
  denylist: Denylist;
  /** How often one client may refresh. */
  clientRate: RateLimiter;
  /** See model/refresh-successors.ts. */
  successorKeys: readonly KeyObject[];
}

/** Configures the override. */
export function redeemAndRotate(provider: Provider, options: RedeemOptions): void {
  const { authUrl: issuer, audiences, lifetimes, pool, denylist, clientRate } = options;
  const resources = resourceIndicators({ audiences, issuer }, lifetimes.accessToken);
  const store = {
    ...options,
    graceSeconds: lifetimes.refreshTokenGrace,
    revokeGrant: (grantId: string) => revokeAndRecord({ pool, denylist }, grantId),
  };
  consumeAfterChecks(provider, {
    async check(ctx, source) {
      checkTokenRequest(ctx, source, resources.getResourceServerInfo);
      if (source.kind === "RefreshToken") await countRequest(clientRate, source.clientId ?? "");
    },
    redeemCode: (...parameters) => redeemCode(store, ...parameters),
    useCode: (...parameters) => useCode(store, ...parameters),
    rotate: (...parameters) => rotateRefreshToken(store, ...parameters),
  });
}
