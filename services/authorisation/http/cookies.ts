/** The cookies of the service: their names, and the paths that browsers send them to. */
import { randomBytes } from "node:crypto";
import type Provider from "oidc-provider";
import type { Configuration, KoaContextWithOIDC } from "oidc-provider";
import { sessionSeconds } from "../model/lifetimes.ts";
import { basePathOf } from "../model/paths.ts";
import { subjectOf } from "../model/subjects.ts";

/** The cookie that tells browsers apart. */
export interface BrowserCookie {
  name: string;
  path: string;
}

/** The cookies of oidc-provider. */
export function providerCookies(authUrl: string): Configuration["cookies"] {
  const { path, prefix, hostPrefix, suffix } = cookieScope(authUrl);
  return {
    names: {
      session: `${hostPrefix}stowage_session${suffix}`,
      interaction: `${prefix}stowage_interaction${suffix}`,
      resume: `${prefix}stowage_resume${suffix}`,
    },
    long: { httpOnly: true, sameSite: "lax", path },
    short: { httpOnly: true, sameSite: "lax" },
  };
}

/** The cookie for overrides/sessions.ts. */
export function browserCookie(authUrl: string): BrowserCookie {
  const { path, hostPrefix, suffix } = cookieScope(authUrl);
  return { name: `${hostPrefix}stowage_browser${suffix}`, path };
}

/** The cookie for identity-provider/begin.ts. */
export function providerCookie(authUrl: string): BrowserCookie {
  const { path, hostPrefix, suffix } = cookieScope(authUrl);
  return { name: `${hostPrefix}stowage_provider${suffix}`, path };
}

/** The cookie for sign-in/login-attempts.ts. */
export function knownDeviceCookie(authUrl: string): { name: string; path: string } {
  const { path, hostPrefix, suffix } = cookieScope(authUrl);
  return { name: `${hostPrefix}stowage_device${suffix}`, path };
}

/** A page on which a person signs in may stay open for an hour. */
const maxAgeMs = 3_600_000;

/** Gives a browser its cookie, or keeps the one that it has for another hour. Returns its value. */
export function ensureBrowserCookie(
  ctx: KoaContextWithOIDC,
  { name, path }: BrowserCookie,
): string {
  const value = ctx.cookies.get(name) || randomBytes(32).toString("base64url");
  ctx.cookies.set(name, value, { path, maxAge: maxAgeMs, httpOnly: true, sameSite: "lax" });
  return value;
}

/** Begins a session for a person who has just signed in. */
export async function beginSession(
  { cookies }: KoaContextWithOIDC,
  options: {
    provider: Provider;
    browserCookie: { path: string };
    lifetimes: Parameters<typeof sessionSeconds>[1];
  },
  signIn: { accountId: string; ts: number; amr?: string[]; acr?: string },
): Promise<void> {
  const { provider, browserCookie, lifetimes } = options;
  const session = new provider.Session();
  const { accountId, ts: loginTs, ...how } = signIn;
  session.loginAccount({ accountId: subjectOf(accountId), loginTs, ...how });
  const expiresInSeconds = sessionSeconds(session, lifetimes);
  cookies.set(provider.cookieName("session"), session.jti, {
    path: browserCookie.path,
    maxAge: expiresInSeconds * 1000,
    httpOnly: true,
    sameSite: "lax",
  });
  await session.save(expiresInSeconds);
}

/** The prefixes keep other hosts, and pages without TLS, from setting our cookies (RFC 6265bis). */
function cookieScope(authUrl: string) {
  const isSecure = authUrl.startsWith("https:");
  const { port } = new URL(authUrl);
  // Browsers do not separate cookies by port.
  const suffix = port === "" ? "" : `_${port}`;
  const path = basePathOf(authUrl) || "/";
  const prefix = isSecure ? "__Secure-" : "";
  return { path, prefix, suffix, hostPrefix: isSecure && path === "/" ? "__Host-" : prefix };
}
