/**
 * Override: the error code for a grant type that a client may not use.
 *
 * oidc-provider answers `invalid_request`. RFC 6749 section 5.2 defines `unauthorized_client`.
 */
import type Provider from "oidc-provider";
import type { errors, KoaContextWithOIDC } from "oidc-provider";

const description = "requested grant type is not allowed for this client";

/** Answers with the code of the standard. */
export function answerUnauthorizedClient(provider: Provider): void {
  provider.on("grant.error", (ctx: KoaContextWithOIDC, error: errors.OIDCProviderError) => {
    if (error.error_description !== description) return;
    ctx.body = { error: "unauthorized_client", error_description: description };
  });
}
