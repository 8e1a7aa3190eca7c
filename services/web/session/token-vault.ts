/** The tokens of a session, as the database has them: encrypted. */
import { type EncryptionKey, type Sealed, seal, UnsealError, unseal } from "@stowage/process";

/** The tokens that the issuer gave for a session. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** For signing out at the issuer. */
  readonly idToken: string;
  /** From the issue of the access token to its expiry. */
  readonly lifetimeSeconds: number;
}

/** Encrypts and decrypts; a row's tokens are of no use in another row. */
export class TokenVault {
  readonly #keys: readonly EncryptionKey[];

  constructor(keys: readonly EncryptionKey[]) {
    this.#keys = keys;
  }

  seal(sessionHash: Buffer, tokens: Tokens): Sealed {
    const [key] = this.#keys;
    if (key === undefined) throw new TypeError("Cannot encrypt tokens: need a key");
    return seal(additionalDataOf(sessionHash), Buffer.from(JSON.stringify(tokens)), key);
  }

  /** Returns undefined if the key is gone or the row was changed: the session is of no use then. */
  open(sessionHash: Buffer, sealed: Sealed): Tokens | undefined {
    try {
      return JSON.parse(
        unseal(additionalDataOf(sessionHash), sealed, this.#keys).toString(),
      ) as Tokens;
    } catch (error) {
      if (error instanceof UnsealError) return undefined;
      throw error;
    }
  }
}

function additionalDataOf(sessionHash: Buffer): string {
  return `session ${sessionHash.toString("hex")}`;
}
