/**
 * Override: the scopes in an answer of the token endpoint.
 *
 * oidc-provider answers with the scopes of the resource server alone. Our tokens also contain the
 * granted scopes of OpenID Connect. The library reads the scopes for its answer from the token
 * after it has formatted the token, so they can be replaced meanwhile.
 */
import type { AccessToken } from "oidc-provider";

/** Replaces the scopes of a token that is being formatted. */
export function answerWithScopes(token: AccessToken, scopes: readonly string[]): void {
  token.scope = scopes.join(" ");
}
