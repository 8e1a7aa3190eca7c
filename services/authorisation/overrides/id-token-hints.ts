/**
 * How ID tokens that come back as hints are verified (OpenID Connect Core section 3.1.2.1): with
 * the key that signed them, also when that has long been replaced, since a session outlives keys.
 */
import { verify } from "node:crypto";
import type Provider from "oidc-provider";
import type { Client } from "oidc-provider";
import { signingAlgorithm } from "../model/signing-key.ts";
import type { FollowedKeys } from "../signing/followed-keys.ts";

/**
 * Puts this in place of oidc-provider's own check, which knows no key but the current one. Like
 * that one it accepts tokens that have expired; the provider refuses the request when it rejects.
 */
export function verifyHintsWithFormerKeys(
  provider: Provider,
  keys: Pick<FollowedKeys, "findPublicKey">,
): void {
  provider.IdToken.validate = async (idToken: string, client: Client) => {
    const [headerText = "", payloadText = "", signature = "", ...rest] = idToken.split(".");
    const header = parse(headerText);
    const payload = parse(payloadText);
    const key = typeof header.kid === "string" && (await keys.findPublicKey(header.kid));
    const isOurs =
      key &&
      rest.length === 0 &&
      header.alg === signingAlgorithm &&
      header.crit === undefined &&
      // A logout token has one, and is for the same client.
      header.typ === undefined &&
      verify(
        "sha256",
        Buffer.from(`${headerText}.${payloadText}`),
        key,
        Buffer.from(signature, "base64url"),
      );
    if (!isOurs) throw new Error("Cannot accept the ID token: it was not signed by this service");
    const isForClient =
      payload.iss === provider.issuer &&
      [payload.aud].flat().includes(client.clientId) &&
      typeof payload.sub === "string";
    if (!isForClient) throw new Error("Cannot accept the ID token: it is another client's");
    return { header, payload };
  };
}

function parse(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
  return Object(value) as Record<string, unknown>;
}
