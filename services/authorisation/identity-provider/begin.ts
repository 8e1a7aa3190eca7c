/** Sends a person to the provider to sign in there (OpenID Connect Core section 3.1.2.1). */
import { addressLimitKey, errorText, type Logger } from "@stowage/process";
import type { KoaContextWithOIDC } from "oidc-provider";
import * as openid from "openid-client";
import type pg from "pg";
import { type BrowserCookie, ensureBrowserCookie } from "../http/cookies.ts";
import { hasPasswords } from "../store/provider-accounts.ts";
import { recordIdHash, storeRecord, takeRecord } from "../store/provider-records.ts";
import type { Discover } from "./discover.ts";
import type { IdentityProvider } from "./settings.ts";

/** What the beginning of a sign-in needs. */
interface BeginOptions {
  identityProvider: IdentityProvider;
  discover: Discover;
  /** Where the provider sends people back to. */
  redirectUri: string;
  cookie: BrowserCookie;
  /** How long a sign-in may take. */
  pendingSeconds: number;
  pool: pg.Pool;
  logger: Logger;
}

/** Why a person is sent there. */
interface Wish {
  /** The interaction to go on with; undefined: the page of the account. */
  uid?: string;
  loginHint?: string | undefined;
  /** Whether to sign in anew, or to choose an account. */
  prompt?: "login" | "select_account" | undefined;
}

/** The way to the provider, for the pages on which people sign in. */
export interface ProviderSignIn {
  /** What people call the provider. */
  name: string;
  /** Whether nobody can sign in with a password. */
  isOnlyWay(): Promise<boolean>;
  /** Answers with a redirect to the provider. Returns the problem if it cannot be reached. */
  begin(ctx: KoaContextWithOIDC, wish: Wish): Promise<string | undefined>;
}

/** A sign-in that has begun. */
export interface BegunSignIn extends Pick<Wish, "uid"> {
  nonce: string;
  verifier: string;
  /** The hash of the cookie of the browser. */
  browserHash: string;
}

const model = "ProviderSignIn";

/** Makes a {@link ProviderSignIn}. */
export function providerSignIn(options: BeginOptions): ProviderSignIn {
  const { identityProvider, discover, redirectUri, cookie, pool, logger } = options;
  const { name, scopes } = identityProvider;

  return {
    name,
    isOnlyWay: async () => !(await hasPasswords(pool)),
    async begin(ctx, { uid, loginHint, prompt }) {
      const found = await discover().catch((error: Error) => {
        logger.warn({ reason: errorText(error) }, "cannot send people to the other provider");
      });
      if (!found) return unreachable(name);
      const [state, nonce] = [openid.randomState(), openid.randomNonce()];
      const verifier = openid.randomPKCECodeVerifier();
      const browser = ensureBrowserCookie(ctx, cookie);
      const begun = { ...(uid && { uid }), nonce, verifier, browserHash: hashOf(browser) };
      await storeRecord(pool, {
        model,
        id: state,
        payload: JSON.stringify(begun satisfies BegunSignIn),
        expiresInSeconds: options.pendingSeconds,
        address: addressLimitKey(ctx.ip),
      });
      const url = openid.buildAuthorizationUrl(found.configuration, {
        redirect_uri: redirectUri,
        scope: scopes,
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...(loginHint && { login_hint: loginHint }),
        ...(prompt && { prompt }),
      });
      ctx.set("Cache-Control", "no-store");
      ctx.status = 303;
      ctx.redirect(url.href);
      return undefined;
    },
  };
}

export function unreachable(name: string): string {
  return `${name} cannot be reached at the moment. Please try again later.`;
}

/** Finds the sign-in that has begun in this browser, once; undefined: there is none. */
export async function takeBegun(
  ctx: KoaContextWithOIDC,
  { pool, cookie }: Pick<BeginOptions, "pool" | "cookie">,
): Promise<BegunSignIn | undefined> {
  const id = String(ctx.query.state ?? "");
  const begun = (await takeRecord(pool, { model, id })) as BegunSignIn | undefined;
  const browser = ctx.cookies.get(cookie.name) ?? "";
  return begun?.browserHash === hashOf(browser) ? begun : undefined;
}

function hashOf(browser: string): string {
  return recordIdHash(browser).toString("base64url");
}
