/** Reads access tokens of this service that clients send to it, for any of our audiences. */
import type { KeyObject } from "node:crypto";
import {
  type AccessToken,
  type AccessTokenValidator,
  createAccessTokenValidator,
  type Denylist,
  type KeySet,
  TokenRefusedError,
} from "@stowage/access-token";

/** What the checks need. */
export interface OwnTokensOptions {
  /** The issuer. */
  authUrl: string;
  /** Identifiers of the resource servers. */
  audiences: readonly string[];
  /** Finds a public key by its ID, unless the key was withdrawn. */
  findPublicKey: (keyId: string) => Promise<KeyObject | undefined>;
  denylist: Denylist;
}

/**
 * Reads a token; undefined if it is not a valid token of ours.
 *
 * @throws TokenRefusedError with status 503 when the denylist or the keys are not available
 */
export type ReadOwnToken = (token: string) => Promise<AccessToken | undefined>;

/** Makes a {@link ReadOwnToken}. */
export function ownTokenReader(options: OwnTokensOptions): ReadOwnToken {
  const { authUrl: issuer, audiences, denylist, findPublicKey } = options;
  const keySet = keySetOf(findPublicKey);
  // Clients send each token once or twice, so a cache would gain nothing.
  const validators = audiences.map((audience) =>
    createAccessTokenValidator({ issuer, audience, keySet, denylist, cache: false }),
  );

  return async (token) => {
    for (const validator of validators) {
      const outcome = await validate(validator, token);
      if (outcome !== "otherAudience") return outcome;
    }
    return undefined;
  };
}

async function validate(
  validator: AccessTokenValidator,
  token: string,
): Promise<AccessToken | "otherAudience" | undefined> {
  try {
    return await validator.validate(token);
  } catch (error) {
    if (!(error instanceof TokenRefusedError) || error.status === 503) throw error;
    return error.reason === "AUDIENCE_MISMATCH" ? "otherAudience" : undefined;
  }
}

function keySetOf(findPublicKey: OwnTokensOptions["findPublicKey"]): KeySet {
  return {
    get: () => undefined,
    async getOrFetch(keyId) {
      const key = await findPublicKey(keyId);
      if (key !== undefined) return key;
      throw new TokenRefusedError("KEY_UNKNOWN", "the key is none of ours");
    },
  };
}
