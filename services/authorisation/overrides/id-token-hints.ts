/**
 * Override: how ID tokens are verified that come back as hints (OpenID Connect Core section
 * 3.1.2.1).
 *
 * oidc-provider knows only the current signing key. A session outlives keys, so a hint may be
 * signed with an earlier one.
 */
import type { KeyObject } from "node:crypto";
import { verify } from "node:crypto";
import type Provider from "oidc-provider";
import type { Client } from "oidc-provider";
import { signingAlgorithm } from "../model/signing-key.ts";

/**
 * Replaces the check. Like the library's it accepts expired tokens. When it rejects, the library
 * refuses the request.
 */
export function verifyHintsWithFormerKeys(
  provider: Provider,
  findPublicKey: (keyId: string) => Promise<KeyObject | undefined>,
): void {
  provider.IdToken.validate = async (idToken: string, client: Client) => {
    const [headerText = "", payloadText = "", signature = "", ...rest] = idToken.split(".");
    const header = parse(headerText);
    const payload = parse(payloadText);
    const key = typeof header.kid === "string" && (await findPublicKey(header.kid));
    const signed = Buffer.from(`${headerText}.${payloadText}`);
    const isOurs =
      key &&
      rest.length === 0 &&
      header.alg === signingAlgorithm &&
      header.crit === undefined &&
      // A logout token has a type, and is for the same client.
      header.typ === undefined &&
      verify("sha256", signed, key, Buffer.from(signature, "base64url"));
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
