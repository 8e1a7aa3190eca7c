/**
 * The key set and the metadata (RFC 8414, OpenID Connect Discovery): true, cacheable, and open to
 * pages of any origin. All else is open to pages that are clients themselves.
 */
import type { KoaContextWithOIDC } from "oidc-provider";
import type { FollowedKeys } from "../signing/followed-keys.ts";

/** Five minutes: long enough to spare us requests, short enough for changes to be seen soon. */
const metadataMaxAgeSeconds = 300;

/** The members of the metadata that hold for what is offered; oidc-provider would write more. */
const offered = [
  "issuer",
  "authorization_endpoint",
  "pushed_authorization_request_endpoint",
  "token_endpoint",
  "end_session_endpoint",
  "backchannel_logout_supported",
  "backchannel_logout_session_supported",
  "revocation_endpoint",
  "introspection_endpoint",
  "jwks_uri",
  "grant_types_supported",
  "response_types_supported",
  "response_modes_supported",
  "scopes_supported",
  "claims_supported",
  "subject_types_supported",
  "id_token_signing_alg_values_supported",
  "code_challenge_methods_supported",
  "authorization_response_iss_parameter_supported",
  "claims_parameter_supported",
  "request_uri_parameter_supported",
  "authorization_details_types_supported",
  "token_endpoint_auth_methods_supported",
  "revocation_endpoint_auth_methods_supported",
  "introspection_endpoint_auth_methods_supported",
];

/**
 * Middleware: publishes the keys that are in the key set at the moment; leaves in the metadata what
 * is {@link offered}; lets public documents be shared.
 */
export function publishDocuments(options: {
  signingKeys: Pick<FollowedKeys, "published">;
  /** How long a new key is published before it signs. */
  keyPublicationSeconds: number;
}) {
  const { signingKeys, keyPublicationSeconds } = options;
  // A copy on its way must be gone when a new key signs: half of the time is for copies, the other
  // half for our processes, which read of new keys every second.
  const keySetMaxAgeSeconds = Math.floor(keyPublicationSeconds / 2);

  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    await next();
    const route = ctx.oidc?.route;
    if (route !== "discovery" && route !== "jwks") {
      if (!isOwnPage(ctx)) {
        ctx.remove("Access-Control-Allow-Origin");
        ctx.remove("Access-Control-Expose-Headers");
      }
      return;
    }
    if (ctx.status !== 200) return;
    if (route === "jwks") {
      ctx.body = { keys: signingKeys.published };
      ctx.set("Cache-Control", `public, max-age=${keySetMaxAgeSeconds}`);
    } else {
      const metadata = ctx.body as Record<string, unknown>;
      ctx.body = Object.fromEntries(offered.map((member) => [member, metadata[member]]));
      ctx.set("Cache-Control", `public, max-age=${metadataMaxAgeSeconds}`);
    }
  };
}

/** Whether a page that is a client reads what is answered to it (RFC 9700 section 2.6). */
function isOwnPage(ctx: KoaContextWithOIDC): boolean {
  const client = ctx.oidc?.client;
  const origin = ctx.get("Origin");
  return (
    client?.clientAuthMethod === "none" &&
    client.redirectUris?.some((uri) => URL.parse(uri)?.origin === origin) === true &&
    origin !== "null"
  );
}
