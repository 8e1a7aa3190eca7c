/** The paths of the service. oidc-provider has more, which `http/` keeps from callers. */
export const providerPaths = {
  authorization: "/auth",
  /** Followed by the ID of an interaction. The browser returns to `authorization` with that ID. */
  interaction: "/interaction",
  endSession: "/session/end",
  /** The forms of the logout pages are sent to the first, which redirects to the second. */
  endSessionConfirm: "/session/end/confirm",
  endSessionSuccess: "/session/end/success",
  pushedRequest: "/par",
  token: "/token",
  revocation: "/revocation",
  introspection: "/introspection",
  keySet: "/.well-known/jwks.json",
  openidMetadata: "/.well-known/openid-configuration",
  oauthMetadata: "/.well-known/oauth-authorization-server",
} as const;

/** The path of AUTH_URL, without a slash at its end. */
export function basePathOf(authUrl: string): string {
  return new URL(authUrl).pathname.replace(/\/$/, "");
}
