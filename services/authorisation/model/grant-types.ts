/** The grant types that are not in OAuth itself (RFC 6749) but in specifications of their own. */

/** RFC 8628. */
export const deviceCodeGrantType = "urn:ietf:params:oauth:grant-type:device_code";

/** RFC 8693. */
export const tokenExchangeGrantType = "urn:ietf:params:oauth:grant-type:token-exchange";
