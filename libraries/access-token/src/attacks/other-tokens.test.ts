/**
 * What else an issuer signs, brought in the place of an access token (RFC 8725 section 2.8). All
 * are signed with the right key. The contract alone decides: the header's `typ`, then the issuer,
 * the audience, and the claims that an access token has.
 */
import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { describe, it } from "node:test";
import { CompactEncrypt } from "jose";
import { type Attack, itRefuses } from "../../testing/attacks.ts";
import {
  audience,
  claims,
  forge,
  header,
  issuer,
  signingKey,
  validator,
} from "../../testing/tokens.ts";
import type { TokenRefusalReason } from "../token-refused-error.ts";

const client = claims.client_id;
const { iss, sub, jti, iat, exp } = claims;
const common = { iss, sub, jti, iat, exp };
const loggedOut = { "http://schemas.openid.net/event/backchannel-logout": {} };
const deleted = { "urn:example:deleted": { subject: sub } };

const idToken = { ...common, aud: client, azp: client, nonce: "n", at_hash: "x", auth_time: iat };
const logoutToken = { ...common, aud: client, sid: "session-1", events: loggedOut };
const refreshToken = { ...claims, aud: iss, scope: "offline_access" };
const userInfo = { iss, sub, aud: client, email: "someone@example.com" };
const requestObject = { ...claims, iss: client, aud: iss, scope: "openid" };
const assertion = { ...common, iss: client, sub: client, aud: iss };
const authorizationResponse = { iss, aud: client, exp, code: "c", state: "s" };
const introspection = { iss, aud: audience, iat, token_introspection: { active: true, ...claims } };
const securityEvent = { ...common, aud: audience, events: deleted };
const proof = { htm: "POST", htu: "https://uploads.example.com/", iat, jti };

function rows(reason: TokenRefusalReason, payloads: Record<string, object>): Attack[] {
  return Object.entries(payloads).map(([description, payload]) => {
    return [description, reason, () => forge({ payload })];
  });
}

describe("a token whose type says what it is", () => {
  const typed: Record<string, object> = {
    "at+jwt": claims,
    "logout+jwt": logoutToken,
    "secevent+jwt": securityEvent,
    "dpop+jwt": proof,
    "oauth-authz-req+jwt": requestObject,
    "token-introspection+jwt": introspection,
    "client-authentication+jwt": assertion,
    "rt+jwt": refreshToken,
    "it+jwt": idToken,
  };
  itRefuses(
    Object.entries(typed).map(([typ, payload]): Attack => {
      const make = () => forge({ header: { ...header, typ }, payload });
      return [`that is of type ${typ}`, "TOKEN_MALFORMED", make];
    }),
  );
});

describe("a token of type JWT for someone else", () => {
  itRefuses([
    ...rows("AUDIENCE_MISMATCH", {
      "that is an ID token": idToken,
      "that is an ID token for two clients": { ...idToken, aud: [client, "other"] },
      "that is a logout token": logoutToken,
      "that is a refresh token": refreshToken,
      "that is the answer of a userinfo endpoint": userInfo,
      "that is an authorisation response": authorizationResponse,
      "for another service": { ...claims, aud: ["billing"] },
      "for the issuer alone": { ...claims, aud: [issuer] },
      "for another service, whose resource is ours": {
        ...claims,
        aud: "billing",
        resource: audience,
      },
      "for another service, whose azp is us": { ...claims, aud: ["billing"], azp: audience },
    }),
    ...rows("ISSUER_MISMATCH", {
      "that is a request object": requestObject,
      "that is a client's assertion": assertion,
      "that a client made for us": { ...claims, iss: client },
      "that its subject made": { ...claims, iss: sub },
      "of another tenant of the same provider": { ...claims, iss: `${issuer}/tenants/2` },
    }),
  ]);
});

// If a client has the name of a service, the audience cannot distinguish ID tokens.
describe("a token of type JWT for a client of our name", () => {
  itRefuses(
    rows("CLAIM_INVALID", {
      "that is an ID token": { ...idToken, aud: audience },
      "that is a logout token": { ...logoutToken, aud: audience },
      "that is a security event": securityEvent,
      "that is an introspection": introspection,
      "that is the answer of a userinfo endpoint": { ...userInfo, aud: audience },
      "that is an authorisation response": { ...authorizationResponse, aud: audience },
      "that is an access token without scope": { ...claims, scope: undefined },
      "that is an access token with a list of scopes": {
        ...claims,
        scope: undefined,
        scp: ["admin"],
      },
    }),
  );
});

describe("a token inside another", () => {
  const encrypt = (parameters: object) =>
    new CompactEncrypt(Buffer.from(forge({})))
      .setProtectedHeader({
        alg: "RSA-OAEP-256",
        enc: "A256GCM",
        typ: "JWT",
        kid: "key-1",
        ...parameters,
      })
      .encrypt(createPublicKey({ format: "jwk", key: signingKey.jwk }));

  itRefuses([
    // CVE-2022-3102, CVE-2023-51774: anyone can encrypt to a public key; that signs nothing.
    ["encrypted to our key", "TOKEN_MALFORMED", () => encrypt({ cty: "JWT" })],
    ["encrypted to our key, that does not say so", "TOKEN_MALFORMED", () => encrypt({})],
    [
      "of which three parts are left",
      "ALGORITHM_REFUSED",
      async () => (await encrypt({})).split(".").slice(0, 3).join("."),
    ],
    ["whose payload is a token", "TOKEN_MALFORMED", () => forge({ payload: forge({}) })],
    [
      "whose payload is a token, and says so",
      "TOKEN_MALFORMED",
      () => forge({ header: { ...header, cty: "JWT" }, payload: forge({}) }),
    ],
    [
      "whose payload holds a token",
      "CLAIM_INVALID",
      () => forge({ payload: { iss, aud: audience, token: forge({}) } }),
    ],
  ]);
});

describe("claims that the contract does not know", () => {
  const unknown: Record<string, object> = {
    "a nonce": { nonce: "n", at_hash: "x" },
    "an event": { events: loggedOut },
    "another use": { token_use: "id", typ: "ID", token_type: "refresh" },
    "a key it is bound to": { cnf: { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" } },
    "scopes elsewhere": { scp: ["admin"], scopes: "admin", roles: ["admin"], permissions: ["*"] },
    "another subject": { subject: "root", user_id: 0, username: "root", email: "root@example.com" },
    "a life without end": { expires_in: 1e9, exp_: 1e15, auth_time: 0, max_age: 0 },
  };
  for (const [description, more] of Object.entries(unknown)) {
    it(`change nothing in a good access token: ${description}`, async () => {
      const plain = await validator.validate(forge({}));
      const token = await validator.validate(forge({ payload: { ...more, ...claims } }));
      assert.deepEqual(
        { ...token, scopes: [...token.scopes] },
        { ...plain, scopes: [claims.scope] },
      );
    });
  }
});
