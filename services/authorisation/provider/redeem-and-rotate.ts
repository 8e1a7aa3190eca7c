/** Codes and refresh tokens are used once: what is checked, counted and stored then. */
import type { KeyObject } from "node:crypto";
import type { Denylist } from "@stowage/access-token";
import type Provider from "oidc-provider";
import type pg from "pg";
import { checkTokenRequest } from "../grants/person-tokens.ts";
import { countRequest, type RateLimiter } from "../limits/rate-limiter.ts";
import type { Lifetimes } from "../model/lifetimes.ts";
import { errors } from "../overrides/library.ts";
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
  const { authUrl: issuer, audiences, lifetimes, pool, clientRate } = options;
  const resources = resourceIndicators({ audiences, issuer }, lifetimes.accessToken);
  const store = { ...options, graceSeconds: lifetimes.refreshTokenGrace };
  /** Revokes the grant: somebody else may have the code or the token. */
  const refuse = async (what: string, grantId: string | undefined): Promise<never> => {
    if (grantId !== undefined) await revokeAndRecord(options, grantId);
    throw new errors.InvalidGrant(`the ${what} was used already`);
  };
  consumeAfterChecks(provider, {
    async check(ctx, source) {
      checkTokenRequest(ctx, source, resources.getResourceServerInfo);
      if (source.kind === "RefreshToken") await countRequest(clientRate, source.clientId ?? "");
    },
    async redeemCode(code, token) {
      const id = await redeemCode(store, code, token);
      return id ?? (await refuse("code", token.payload.grantId));
    },
    async useCode(code, grantId) {
      if (!(await useCode(pool, code))) await refuse("code", grantId);
    },
    async rotate(used, successor) {
      const id = await rotateRefreshToken(store, used, successor);
      return id ?? (await refuse("refresh token", successor.payload.grantId));
    },
  });
}
