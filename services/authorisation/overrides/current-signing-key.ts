/**
 * The key that oidc-provider signs everything with: at any moment the one that signs then. It takes
 * its keys once, at its start, so it is given one whose ID and signatures change.
 */
import type { KeyObject } from "node:crypto";
import { signingAlgorithm } from "../model/signing-key.ts";
import type { FollowedKeys } from "../signing/followed-keys.ts";
import { ExternalSigningKey } from "./library.ts";

/** What is needed of the keys. */
type SigningKeys = Pick<FollowedKeys, "currentKeyId" | "currentPublicKey" | "sign">;

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

  /** Another key may have become current since the header was written: the header says which. */
  override sign(data: Uint8Array): Promise<Uint8Array> {
    const [header = ""] = Buffer.from(data).toString().split(".", 1);
    const { kid } = JSON.parse(Buffer.from(header, "base64url").toString()) as { kid: string };
    return this.#keys.sign(kid, data);
  }
}
