/**
 * Override: codes and refresh tokens are used up as late as possible.
 *
 * oidc-provider uses up a code or a refresh token before it checks resources and authorization
 * details, and before it stores the next refresh token. A request that asks for too much by
 * mistake, or that the database fails, would cost the client its grant. Here the check comes first,
 * and a code is used up only after its access token is made. Then one step uses up the code or the
 * refresh token and stores the next one, see store/refresh-tokens.ts. That step also decides if a
 * refresh token that was used may be used again.
 */
import type Provider from "oidc-provider";
import type { AccessToken, AdapterPayload, KoaContextWithOIDC, RefreshToken } from "oidc-provider";
import { type Code, type ExchangedCode, FailedExchanges } from "./failed-exchanges.ts";
import { currentContext } from "./library.ts";

/** What the library stores of a token, without its ID. */
export interface TokenRecord {
  payload: AdapterPayload;
  /** Seconds from now. */
  expiresInSeconds: number;
}

interface TokenConsumption {
  /** Throws to refuse a request, before anything is used up. */
  check: (ctx: KoaContextWithOIDC, source: Code | RefreshToken) => Promise<void>;
  /** Uses up a code and stores its refresh token. Returns the ID of that. */
  redeemCode: (code: ExchangedCode, token: TokenRecord) => Promise<string>;
  /** Uses up a code without a refresh token. */
  useCode: (code: ExchangedCode, grantId: string | undefined) => Promise<void>;
  /** Uses up a refresh token and stores its successor. Returns the ID of the successor. */
  rotate: (used: string, successor: TokenRecord) => Promise<string>;
}

/** Replaces how codes and refresh tokens are used up. */
export function consumeAfterChecks(provider: Provider, consumption: TokenConsumption): void {
  const { check, redeemCode, useCode, rotate } = consumption;
  const { AccessToken, AuthorizationCode, DeviceCode, RefreshToken } = provider;
  const { find } = RefreshToken;
  const { save } = RefreshToken.prototype;
  const { save: saveAccessToken } = AccessToken.prototype;
  const exchanges = new FailedExchanges(provider);

  for (const { prototype } of [AuthorizationCode, DeviceCode]) {
    Object.assign(prototype, {
      async consume(this: Code) {
        const ctx = requireContext();
        // The person has declined. The library answers that next.
        if ("error" in this && this.error !== undefined) return;
        await check(ctx, this);
        exchanges.begin(ctx, this);
      },
    });
  }
  Object.assign(AccessToken.prototype, {
    async save(this: AccessToken) {
      const token = await saveAccessToken.call(this);
      const ctx = requireContext();
      const code = exchanges.codeOf(ctx);
      const hasRefreshToken = ctx.oidc.client?.grantTypeAllowed("refresh_token");
      if (code !== undefined && !hasRefreshToken) await useCode(code, this.grantId);
      return token;
    },
  });
  Object.assign(RefreshToken, {
    async find(...parameters: Parameters<typeof find>) {
      const token = (await find.apply(RefreshToken, parameters)) as RefreshToken | undefined;
      // At other endpoints, a token that was used is not valid.
      if (token && currentContext()?.oidc.route === "token") token.consumed = undefined;
      return token;
    },
  });
  Object.assign(RefreshToken.prototype, {
    async consume(this: RefreshToken) {
      await check(requireContext(), this);
    },
    async save(this: StoredToken) {
      const ctx = requireContext();
      const code = exchanges.codeOf(ctx);
      const { RotatedRefreshToken: used } = ctx.oidc.entities;
      if (code === undefined && used === undefined) return await save.call(this);
      const { jti: _, ...payload } = (await this.getValueAndPayload()).payload;
      const record = { payload, expiresInSeconds: this.remainingTTL };
      if (code !== undefined) this.jti = await redeemCode(code, record);
      else if (used !== undefined) this.jti = await rotate(used.jti, record);
      return this.jti;
    },
  });
}

type StoredToken = RefreshToken & {
  getValueAndPayload(): Promise<{ payload: TokenRecord["payload"] }>;
};

function requireContext(): KoaContextWithOIDC {
  const ctx = currentContext();
  if (ctx === undefined) throw new Error("Cannot use up a token outside of a request");
  return ctx;
}
