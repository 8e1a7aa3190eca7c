/** Where oidc-provider serves what is offered; everything else it serves is kept from callers. */
export const providerPaths = {
  authorization: "/auth",
  /** Followed by the ID of the request, as the one before is when people come back from here. */
  interaction: "/interaction",
  token: "/token",
  revocation: "/revocation",
  introspection: "/introspection",
  keySet: "/.well-known/jwks.json",
  openidMetadata: "/.well-known/openid-configuration",
  oauthMetadata: "/.well-known/oauth-authorization-server",
} as const;
