/**
 * Reads access tokens of this service that are shown to it: with the checks that any resource
 * server makes, for whichever of our audiences they are.
 */
import type { KeyObject } from "node:crypto";
import {
  type AccessToken,
  type AccessTokenValidator,
  createAccessTokenValidator,
  type Denylist,
  type KeySet,
  TokenRefusedError,
} from "@stowage/access-token";

/** What the checks rest on. */
export interface OwnTokensOptions {
  /** The issuer. */
  authUrl: string;
  /** Identifiers of the resource servers. */
  audiences: readonly string[];
  /** The public key with this ID, unless it was withdrawn. */
  findPublicKey: (keyId: string) => Promise<KeyObject | undefined>;
  denylist: Denylist;
}

/**
 * Gives what a token says; undefined when it is not ours, is expired or revoked, or is no token.
 *
 * @throws TokenRefusedError with status 503 when it is not known whether the token is good.
 */
export type ReadOwnToken = (token: string) => Promise<AccessToken | undefined>;

/** Makes a {@link ReadOwnToken}. */
export function ownTokenReader(options: OwnTokensOptions): ReadOwnToken {
  const { authUrl: issuer, audiences, denylist, findPublicKey } = options;
  const keySet = keySetOf(findPublicKey);
  // Tokens come here once or twice in their lives: to keep what was verified would gain nothing.
  const validators = audiences.map((audience) =>
    createAccessTokenValidator({ issuer, audience, keySet, denylist, cache: false }),
  );

  return async (token) => {
    for (const validator of validators) {
      const outcome = await validate(validator, token);
      if (outcome !== "another audience") return outcome;
    }
    return undefined;
  };
}

async function validate(
  validator: AccessTokenValidator,
  token: string,
): Promise<AccessToken | "another audience" | undefined> {
  try {
    return await validator.validate(token);
  } catch (error) {
    if (!(error instanceof TokenRefusedError) || error.status === 503) throw error;
    return error.reason === "AUDIENCE_MISMATCH" ? "another audience" : undefined;
  }
}

function keySetOf(findPublicKey: OwnTokensOptions["findPublicKey"]): KeySet {
  return {
    known: () => undefined,
    async find(keyId) {
      const key = await findPublicKey(keyId);
      if (key !== undefined) return key;
      throw new TokenRefusedError("KEY_UNKNOWN", "the key is none of ours");
    },
  };
}
