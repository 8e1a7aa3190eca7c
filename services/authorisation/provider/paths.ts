/** Where oidc-provider serves what is offered; everything else it serves is kept from callers. */
export const providerPaths = {
  token: "/token",
  revocation: "/revocation",
  introspection: "/introspection",
  keySet: "/.well-known/jwks.json",
  openidMetadata: "/.well-known/openid-configuration",
  oauthMetadata: "/.well-known/oauth-authorization-server",
} as const;
