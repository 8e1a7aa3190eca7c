/** What a client can ask for tokens by (RFC 7591 section 2). */

/** RFC 7523. */
export const jwtBearerGrantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** RFC 8693. */
export const tokenExchangeGrantType = "urn:ietf:params:oauth:grant-type:token-exchange";
