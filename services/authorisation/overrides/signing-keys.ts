/**
 * Override: the keys that oidc-provider signs and verifies with change while it runs.
 *
 * The library reads its keys once, when it starts. It gets external keys (an experimental feature):
 * the first one is always the key that signs at the moment, the others are the rest of the key set,
 * for ID tokens that come back as hints. There is no hook for keys that change.
 */
import type { KeyObject } from "node:crypto";
import { createPublicKey } from "node:crypto";
import { type PublicJwk, signingAlgorithm } from "../model/signing-key.ts";
import { ExternalSigningKey } from "./library.ts";

/** The signing keys of the service. */
interface SigningKeys {
  readonly currentKeyId: string;
  readonly currentPublicKey: KeyObject;
  readonly published: readonly PublicJwk[];
  sign(keyId: string, data: Uint8Array): Promise<Uint8Array>;
}

/** One key signs, one was retired and one is next; more only after changes by hand. */
const otherKeysMax = 7;

/** The keys for the provider's `jwks`. */
export function changingKeys(keys: SigningKeys) {
  const others = Array.from({ length: otherKeysMax }, (_, index) => new OtherKey(keys, index));
  return [new CurrentKey(keys), ...others];
}

class CurrentKey extends ExternalSigningKey {
  protected readonly keys: SigningKeys;

  constructor(keys: SigningKeys) {
    super();
    this.keys = keys;
  }

  override get kid(): string {
    return this.keys.currentKeyId;
  }

  override get alg(): string {
    return signingAlgorithm;
  }

  override keyObject(): KeyObject {
    return this.keys.currentPublicKey;
  }

  /** Signs with the key that the header names: another key may have become current since. */
  override sign(data: Uint8Array): Promise<Uint8Array> {
    const [header = ""] = Buffer.from(data).toString().split(".", 1);
    const { kid } = JSON.parse(Buffer.from(header, "base64url").toString()) as { kid: string };
    return this.keys.sign(kid, data);
  }
}

/** It verifies and never signs: the library signs with the first key. */
class OtherKey extends CurrentKey {
  readonly #index: number;

  constructor(keys: SigningKeys, index: number) {
    super(keys);
    this.#index = index;
  }

  get #jwk(): PublicJwk | undefined {
    return this.keys.published.filter(({ kid }) => kid !== this.keys.currentKeyId)[this.#index];
  }

  override get kid(): string {
    return this.#jwk?.kid ?? `none-${this.#index}`;
  }

  override keyObject(): KeyObject {
    const key = this.#jwk;
    return key ? createPublicKey({ key: { ...key }, format: "jwk" }) : this.keys.currentPublicKey;
  }
}
