/** The key set and the metadata (RFC 8414, OpenID Connect Discovery), as caches may store them. */
import type { KoaContextWithOIDC } from "oidc-provider";
import type { PublicJwk } from "../model/signing-key.ts";

/** Five minutes: long enough to save requests, and short enough for changes to arrive soon. */
const metadataMaxAgeSeconds = 300;

/** Middleware: publishes the present keys. oidc-provider reads its keys once, when it starts. */
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
    const { route } = ctx.oidc ?? {};
    if (ctx.status !== 200 || (route !== "jwks" && route !== "discovery")) return;
    if (route === "jwks") ctx.body = { keys: signingKeys.published };
    const maxAgeSeconds = route === "jwks" ? keySetMaxAgeSeconds : metadataMaxAgeSeconds;
    ctx.set("Cache-Control", `public, max-age=${maxAgeSeconds}`);
  };
}
