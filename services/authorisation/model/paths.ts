/** Where oidc-provider serves what is offered; everything else it serves is kept from callers. */
export const providerPaths = {
  authorization: "/auth",
  /** Followed by the ID of the request, as the one before is when people come back from here. */
  interaction: "/interaction",
  endSession: "/session/end",
  /** Where the forms of the pages there go, and where that leads in the end. */
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
