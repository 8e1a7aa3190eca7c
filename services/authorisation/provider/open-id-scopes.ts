/** The scopes of OpenID Connect, which every client that acts for people may ask for. */
export const openIdScopes: readonly string[] = ["openid", "profile", "offline_access"];
