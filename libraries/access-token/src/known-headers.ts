import { checkHeader } from "./check-header.ts";
import { headersKeptMax } from "./limits.ts";
import { ownCopy } from "./own-copy.ts";
import { parseHeader } from "./parse-token.ts";

/**
 * The headers of an issuer's tokens are all alike: one text for each key. Reading the same one
 * again would take as long as all other checks of the form together, so what they say is kept. Only
 * headers of tokens whose signature has verified are, so that nobody else can fill the memory.
 */
export class KnownHeaders {
  readonly #keyIds = new Map<string, string>();

  /**
   * Second step. Gives the key ID. Throws TokenRefusedError: TOKEN_MALFORMED, ALGORITHM_REFUSED.
   */
  check(unverifiedHeader: string): string {
    return this.#keyIds.get(unverifiedHeader) ?? checkHeader(parseHeader(unverifiedHeader));
  }

  keep(verifiedHeader: string, keyId: string): void {
    if (this.#keyIds.has(verifiedHeader)) return;
    // Those of keys that are long withdrawn must not keep out those of today.
    if (this.#keyIds.size >= headersKeptMax) this.#keyIds.clear();
    this.#keyIds.set(ownCopy(verifiedHeader), keyId);
  }
}
