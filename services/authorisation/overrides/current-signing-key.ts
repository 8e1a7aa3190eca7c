/**
 * Override: the key that oidc-provider signs with changes while it runs.
 *
 * The library reads its keys once, when it starts. It gets one external key (an experimental
 * feature), whose ID and signatures are those of the key that signs at the moment.
 */
import type { KeyObject } from "node:crypto";
import { signingAlgorithm } from "../model/signing-key.ts";
import { ExternalSigningKey } from "./library.ts";

/** The signing keys of the service. */
interface SigningKeys {
  readonly currentKeyId: string;
  readonly currentPublicKey: KeyObject;
  sign(keyId: string, data: Uint8Array): Promise<Uint8Array>;
}

/** A key for the provider's `jwks`. */
export class CurrentSigningKey extends ExternalSigningKey {
  readonly #keys: SigningKeys;

  constructor(keys: SigningKeys) {
    super();
    this.#keys = keys;
  }

  override get kid(): string {
    return this.#keys.currentKeyId;
  }

  override get alg(): string {
    return signingAlgorithm;
  }

  override keyObject(): KeyObject {
    return this.#keys.currentPublicKey;
  }

  /** Signs with the key that the header names: another key may have become current since. */
  override sign(data: Uint8Array): Promise<Uint8Array> {
    const [header = ""] = Buffer.from(data).toString().split(".", 1);
    const { kid } = JSON.parse(Buffer.from(header, "base64url").toString()) as { kid: string };
    return this.#keys.sign(kid, data);
  }
}
