/** Checks tokens that the provider has signed: ID tokens, and logout tokens. */
import { type JWTPayload, jwtVerify } from "jose";
import type { Discover } from "./discover.ts";
import { isUnavailable } from "./requests.ts";
import type { IdentityProvider } from "./settings.ts";

/** Only asymmetric ones: everybody who knows the client secret can sign with a symmetric one. */
const algorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** How far the provider's clock may be from ours, in seconds. */
const clockTolerance = 30;

/** The event that makes a JWT a logout token (Back-Channel Logout 1.0 section 2.4). */
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

/** A logout token is used at once. */
const logoutTokenSecondsMax = 600;

/** The claims of an ID token that say who the person is. */
export interface IdTokenClaims extends JWTPayload {
  iss: string;
  sub: string;
  iat: number;
  exp: number;
}

/** A token is not valid, or of another kind. */
export class InvalidTokenError extends Error {
  override readonly name = "InvalidTokenError";
}

/**
 * Reads tokens. Both reject with an {@link InvalidTokenError}, or with another error if the
 * provider's keys cannot be fetched.
 */
export interface TokenReader {
  /** @param audiences one of them must be in `aud` */
  readIdToken(token: string, audiences: readonly string[]): Promise<IdTokenClaims>;
  /** Returns the claims `sub` and `sid`, of which there is at least one. */
  readLogoutToken(token: string): Promise<{ sub?: string; sid?: string }>;
}

/** Makes a {@link TokenReader}. */
export function tokenReader(provider: IdentityProvider, discover: Discover): TokenReader {
  const { issuer, clientId } = provider;
  const verify = async (token: string, audience: string[], requiredClaims: string[]) => {
    const { keys } = await discover();
    const checks = { audience, requiredClaims, issuer, algorithms, clockTolerance };
    return await jwtVerify(token, keys, checks).catch((cause: Error) => {
      if (isUnavailable(cause)) throw cause;
      throw new InvalidTokenError("the token is not valid", { cause });
    });
  };

  return {
    async readIdToken(token, audiences) {
      const required = ["sub", "iat", "exp"];
      const { payload, protectedHeader } = await verify(token, [...audiences], required);
      // Access tokens and logout tokens of the same provider may be for the same audience.
      const isOther = ["scope", "scp", "events"].some((claim) => payload[claim] !== undefined);
      if (isOther || !isPlain(protectedHeader.typ)) {
        throw new InvalidTokenError("the token is no ID token");
      }
      // A token may be for several clients; this is the one that asked for it.
      const { azp } = payload;
      if (azp !== undefined && !audiences.includes(azp as string)) {
        throw new InvalidTokenError("another client has asked for the token");
      }
      return payload as IdTokenClaims;
    },
    async readLogoutToken(token) {
      const { payload } = await verify(token, [clientId], ["iat", "events"]);
      const { events, nonce, sub, sid, iat = 0 } = payload;
      const event = (events as Record<string, unknown> | undefined)?.[logoutEvent];
      if (typeof event !== "object" || nonce !== undefined) {
        throw new InvalidTokenError("the token is no logout token");
      }
      if (iat < Date.now() / 1000 - logoutTokenSecondsMax) {
        throw new InvalidTokenError("the logout token is too old");
      }
      if (typeof sid === "string") return sub === undefined ? { sid } : { sub, sid };
      if (sub !== undefined) return { sub };
      throw new InvalidTokenError("the logout token names nobody");
    },
  };
}

function isPlain(typ: string | undefined): boolean {
  return typ === undefined || typ.toUpperCase() === "JWT";
}
