/** The error with which oidc-provider refuses a token that is a JWT; nothing else there has it. */
export const structuredTokenError = "unsupported_token_type";
