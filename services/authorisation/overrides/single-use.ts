/**
 * Override: codes and refresh tokens are used up as late as possible.
 *
 * oidc-provider uses up a code or a refresh token before it checks resources and authorization
 * details, and before it stores the next refresh token. A request that asks for too much by
 * mistake, or that the database fails, would cost the client its grant. Here the check comes first.
 * Then one step uses up the token and stores the next one, see store/refresh-tokens.ts. That step
 * also decides whether a refresh token that was used may be used again.
 */
import type Provider from "oidc-provider";
import type {
  AdapterPayload,
  AuthorizationCode,
  DeviceCode,
  KoaContextWithOIDC,
  RefreshToken,
} from "oidc-provider";
import { Provider as CurrentProvider } from "./library.ts";

/** A token with what the library stores of it. */
export interface TokenRecord {
  payload: AdapterPayload;
  /** Seconds from now. */
  expiresInSeconds: number;
}

/** A code that a client exchanges for tokens. */
type Code = AuthorizationCode | DeviceCode;

interface SingleUse {
  /** Throws to refuse a request, before anything is used up. */
  check: (ctx: KoaContextWithOIDC, source: Code | RefreshToken) => Promise<void>;
  /** Uses up a code and stores its refresh token. */
  redeemCode: (code: Pick<Code, "kind" | "jti">, id: string, token: TokenRecord) => Promise<void>;
  /** Uses up a refresh token and stores its successor. Returns the ID of the successor. */
  rotate: (used: string, successor: TokenRecord) => Promise<string>;
}

/** Replaces how codes and refresh tokens are used up. */
export function useUpLate(provider: Provider, { check, redeemCode, rotate }: SingleUse): void {
  const { AuthorizationCode, DeviceCode, RefreshToken } = provider;
  const { find } = RefreshToken;
  const { save } = RefreshToken.prototype;

  for (const { prototype } of [AuthorizationCode, DeviceCode]) {
    const { consume } = prototype;
    Object.assign(prototype, {
      async consume(this: Code) {
        const ctx = currentContext();
        // The library answers next that the person has declined.
        if ("error" in this && this.error !== undefined) return;
        await check(ctx, this);
        if (!ctx.oidc.client?.grantTypeAllowed("refresh_token")) await consume.call(this);
      },
    });
  }
  Object.assign(RefreshToken, {
    async find(...parameters: Parameters<typeof find>) {
      const token = (await find.apply(RefreshToken, parameters)) as RefreshToken | undefined;
      // Elsewhere, a token that was used is not valid.
      if (token && CurrentProvider.ctx?.oidc.route === "token") token.consumed = undefined;
      return token;
    },
  });
  Object.assign(RefreshToken.prototype, {
    async consume(this: RefreshToken) {
      await check(currentContext(), this);
    },
    async save(this: StoredToken) {
      const { entities } = currentContext().oidc;
      const { RotatedRefreshToken: used } = entities;
      const code = entities.AuthorizationCode ?? entities.DeviceCode;
      if ((used ?? code) === undefined) return await save.call(this);
      this.jti = this.generateTokenId();
      const { payload } = await this.getValueAndPayload();
      const record = { payload, expiresInSeconds: this.remainingTTL };
      if (code !== undefined) await redeemCode(code, this.jti, record);
      else if (used !== undefined) this.jti = await rotate(used.jti, record);
      return this.jti;
    },
  });
}

type StoredToken = RefreshToken & {
  generateTokenId(): string;
  getValueAndPayload(): Promise<{ payload: TokenRecord["payload"] }>;
};

function currentContext(): KoaContextWithOIDC {
  const ctx = CurrentProvider.ctx;
  if (ctx === undefined) throw new Error("Cannot use up a token outside of a request");
  return ctx;
}
