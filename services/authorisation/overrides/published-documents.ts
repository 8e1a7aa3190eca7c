/**
 * Override: the key set and the metadata (RFC 8414, OpenID Connect Discovery).
 *
 * oidc-provider publishes only its own key, and metadata about features that are not offered here.
 * It marks neither document as cacheable.
 */
import type { KoaContextWithOIDC } from "oidc-provider";
import type { PublicJwk } from "../model/signing-key.ts";

/** Five minutes: long enough to save requests, and short enough for changes to arrive soon. */
const metadataMaxAgeSeconds = 300;

/** The members of the metadata that are true here. */
const offered = `
  issuer authorization_endpoint pushed_authorization_request_endpoint token_endpoint
  device_authorization_endpoint userinfo_endpoint
  end_session_endpoint backchannel_logout_supported backchannel_logout_session_supported
  revocation_endpoint introspection_endpoint jwks_uri grant_types_supported
  response_types_supported response_modes_supported scopes_supported claims_supported
  subject_types_supported id_token_signing_alg_values_supported code_challenge_methods_supported
  authorization_response_iss_parameter_supported claims_parameter_supported
  request_uri_parameter_supported authorization_details_types_supported
  token_endpoint_auth_methods_supported revocation_endpoint_auth_methods_supported
  introspection_endpoint_auth_methods_supported
`
  .trim()
  .split(/\s+/);

/** Middleware: replaces both documents, and lets caches store them. */
export function publishDocuments(options: {
  signingKeys: { readonly published: readonly PublicJwk[] };
  /** How long a new key is published before it signs. */
  keyPublicationSeconds: number;
}) {
  const { signingKeys, keyPublicationSeconds } = options;
  // Every cached copy must have expired when a new key signs. Half of the time is for caches, the
  // other half for our processes, which read new keys every second.
  const keySetMaxAgeSeconds = Math.floor(keyPublicationSeconds / 2);

  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    await next();
    if (ctx.status !== 200) return;
    if (ctx.oidc?.route === "jwks") {
      ctx.body = { keys: signingKeys.published };
      ctx.set("Cache-Control", `public, max-age=${keySetMaxAgeSeconds}`);
    }
    if (ctx.oidc?.route === "discovery") {
      const metadata = ctx.body as Record<string, unknown>;
      ctx.body = Object.fromEntries(offered.map((member) => [member, metadata[member]]));
      ctx.set("Cache-Control", `public, max-age=${metadataMaxAgeSeconds}`);
    }
  };
}

/** Whether everybody may read the answers of a route. */
export function isPublicRoute(route: string | undefined): boolean {
  return /^(cors\.)?(discovery|jwks)$/.test(route ?? "");
}
