/** Puts together the sign-in at another provider: the way there and back, and its tokens. */
import { errorText } from "@stowage/process";
import type Provider from "oidc-provider";
import type { ReadIdToken } from "../grants/token-exchange.ts";
import { browserCookie, providerCookie } from "../http/cookies.ts";
import { accountOf } from "../identity-provider/account.ts";
import { type ProviderSignIn, providerSignIn } from "../identity-provider/begin.ts";
import { discoverer } from "../identity-provider/discover.ts";
import { NoAccessError } from "../identity-provider/groups.ts";
import { providerLogout, providerLogoutPages } from "../identity-provider/logout.ts";
import { InvalidTokenError, tokenReader } from "../identity-provider/read-token.ts";
import { isUnavailable } from "../identity-provider/requests.ts";
import { providerReturn } from "../identity-provider/return.ts";
import { BusyError } from "../limits/busy-error.ts";
import { providerPaths } from "../model/paths.ts";
import type { ProviderOptions } from "./provider-options.ts";

const retryAfterSeconds = 5;

export interface OtherProvider {
  /** For the pages on which people sign in. */
  signIn: ProviderSignIn;
  /** By path: the addresses that the provider leads to. */
  pages: Readonly<Record<string, ReturnType<typeof providerReturn>>>;
  /** Middleware. */
  logout: ReturnType<typeof providerLogout>;
  readIdToken: ReadIdToken;
}

/** Returns undefined if no other provider is set. */
export function otherProvider(
  provider: Provider,
  options: ProviderOptions,
): OtherProvider | undefined {
  const { authUrl, identityProvider, pool, logger } = options;
  if (identityProvider === undefined) return undefined;
  const discover = discoverer(identityProvider);
  const reader = tokenReader(identityProvider, discover);
  const parts = {
    ...options,
    provider,
    identityProvider,
    discover,
    reader,
    redirectUri: authUrl + providerPaths.providerCallback,
    cookie: providerCookie(authUrl),
    browserCookie: browserCookie(authUrl),
    pendingSeconds: options.lifetimes.interaction,
    signIns: options.metrics.signIns,
  };
  return {
    signIn: providerSignIn(parts),
    pages: {
      [providerPaths.providerCallback]: providerReturn(parts),
      ...providerLogoutPages(parts),
    },
    logout: providerLogout(parts),
    async readIdToken(token, address) {
      try {
        const claims = await reader.readIdToken(token, identityProvider.audiences);
        const { groupsClaim } = identityProvider;
        const signIn = { pool, groupsClaim, signedInAt: claims.iat, address };
        return { account: await accountOf(claims, signIn), expiresAt: claims.exp };
      } catch (error) {
        if (isUnavailable(error)) {
          throw new BusyError(503, "the other provider does not answer", retryAfterSeconds);
        }
        if (!(error instanceof InvalidTokenError) && !(error instanceof NoAccessError)) throw error;
        logger.info({ address, reason: errorText(error) }, "refused an ID token");
        return undefined;
      }
    },
  };
}
