/** What a client can ask for tokens by (RFC 7591 section 2). */

/** RFC 8693. */
export const tokenExchangeGrantType = "urn:ietf:params:oauth:grant-type:token-exchange";
