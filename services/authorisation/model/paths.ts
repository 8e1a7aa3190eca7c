/** The paths of the service. oidc-provider has more, which `http/` keeps from callers. */
export const providerPaths = {
  authorization: "/auth",
  /** Followed by the ID of an interaction. The browser returns to `authorization` with that ID. */
  interaction: "/interaction",
  /** Where people see their own sessions and consents, and change their password. */
  account: "/account",
  /** With the secret of a link that signs a person in once. */
  signInLink: "/sign-in-link",
  /** Another provider sends people back here, and its logout tokens to the second. */
  providerCallback: "/provider/callback",
  providerLogout: "/provider/logout",
  /** It sends people here when they have signed out there too. */
  providerSignedOut: "/provider/signed-out",
  endSession: "/session/end",
  /** The forms of the logout pages are sent to the first, which redirects to the second. */
  endSessionConfirm: "/session/end/confirm",
  endSessionSuccess: "/session/end/success",
  pushedRequest: "/par",
  deviceAuthorization: "/device_authorization",
  /** People enter user codes here. Followed by the ID of an interaction when they come back. */
  device: "/device",
  token: "/token",
  userinfo: "/userinfo",
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
