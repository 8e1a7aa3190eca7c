/** The cookies of the service: their names, and the paths that browsers send them to. */
import type { Configuration } from "oidc-provider";
import { basePathOf } from "../model/paths.ts";
import type { BrowserCookie } from "../overrides/sessions.ts";

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
