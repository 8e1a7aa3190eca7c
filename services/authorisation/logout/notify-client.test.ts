import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { before, it } from "node:test";
import { createAccessTokenValidator, staticKeySet } from "@stowage/access-token";
import { createLocalJWKSet, type JWTVerifyResult, jwtVerify } from "jose";
import { generateSigningKey, type PublicJwk, publicJwkOf } from "../model/signing-key.ts";
import { signLogoutToken } from "./notify-client.ts";

const authUrl = "https://auth.example";
const clientId = "3b0e7a52-0c43-4f37-8d0e-8a7a3d2f4b11";
const ended = { clientId, subject: "urn:svc:user:7", sid: "a session" };

let publicJwk: PublicJwk;
let token = "";
before(async () => {
  const { keyId, privateKeyDer } = await generateSigningKey();
  const key = createPrivateKey({ key: privateKeyDer, format: "der", type: "pkcs8" });
  publicJwk = publicJwkOf(keyId, createPublicKey(key));
  const signingKeys = {
    currentKeyId: keyId,
    ensureRecent: async () => undefined,
    sign: async (_: string, data: Uint8Array) => sign("sha256", data, key),
  };
  token = await signLogoutToken(ended, { authUrl, signingKeys });
});

function verifyAsClient(): Promise<JWTVerifyResult> {
  return jwtVerify(token, createLocalJWKSet({ keys: [{ ...publicJwk }] }), {
    issuer: authUrl,
    audience: clientId,
    typ: "logout+jwt",
    algorithms: ["RS256"],
    maxTokenAge: 120,
  });
}

it("says which session has ended, in the form of Back-Channel Logout 1.0 section 2.4", async () => {
  const { payload, protectedHeader } = await verifyAsClient();
  assert.deepEqual(protectedHeader, { alg: "RS256", kid: publicJwk.kid, typ: "logout+jwt" });
  const { iat = 0, exp, jti, ...claims } = payload;
  assert.match(jti ?? "", /^[\da-f-]{36}$/);
  assert.equal(exp, iat + 120);
  assert.deepEqual(claims, {
    iss: authUrl,
    aud: clientId,
    sub: "urn:svc:user:7",
    sid: "a session",
    events: { "http://schemas.openid.net/event/backchannel-logout": {} },
  });
});

it("is no access token", async () => {
  const validator = createAccessTokenValidator({
    issuer: authUrl,
    audience: clientId,
    keySet: staticKeySet({ keys: [publicJwk] }),
  });
  await assert.rejects(validator.validate(token), { reason: "TOKEN_MALFORMED" });
});
