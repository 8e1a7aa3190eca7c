import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { type JWTPayload, SignJWT } from "jose";
import type { Client } from "oidc-provider";
import type pg from "pg";
import { storageOf } from "../provider/storage.ts";
import { startBareProvider } from "../testing/bare-provider.ts";
import { verifyHintsWithFormerKeys } from "./id-token-hints.ts";
import { Provider } from "./library.ts";

const issuer = "https://login.example.com";
const former = generateKeyPairSync("rsa", { modulusLength: 2048 });
const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 });
const client = { clientId: "client-1", idTokenSignedResponseAlg: "RS256" } as Client;
const claims = { iss: issuer, aud: "client-1", sub: "urn:svc:user:7", exp: 1 };
const provider = new Provider(issuer, {
  jwks: { keys: [former.privateKey.export({ format: "jwk" })] },
  adapter: storageOf({
    findClient: async () => undefined,
    findServiceAccount: async () => undefined,
    pendingLimits: { addressMax: 9, clientMax: 9 },
    refreshGraceSeconds: 0,
    pool: {} as pg.Pool,
    revokeGrant: async () => undefined,
  }),
  cookies: { keys: ["x"] },
  features: { devInteractions: { enabled: false } },
});
verifyHintsWithFormerKeys(provider, async (keyId) =>
  keyId === "former" ? former.publicKey : undefined,
);

function token(
  payload: JWTPayload = claims,
  header: Record<string, unknown> = {},
  key: KeyObject | Uint8Array = former.privateKey,
): Promise<string> {
  return new SignJWT(payload)
    .setProtectedHeader({ alg: "RS256", kid: "former", ...header })
    .sign(key);
}

const good = await token();
const [head = "", body = "", signature = ""] = good.split(".");
const otherBody = Buffer.from(JSON.stringify({ ...claims, sub: "x" })).toString("base64url");
const refused: Record<string, string> = {
  "that is empty": "",
  "that is no token": "a.b.c",
  "with a part too many": `${good}.x`,
  "without a signature": `${head}.${body}.`,
  "with other claims": `${head}.${otherBody}.${signature}`,
  "of a key that is not ours": await token(claims, { kid: "stranger" }, stranger.privateKey),
  "that another key signed": await token(claims, {}, stranger.privateKey),
  "without a key ID": await token(claims, { kid: undefined }),
  "with another algorithm": await token(claims, { alg: "HS256" }, randomBytes(32)),
  "with a stronger algorithm": await token(claims, { alg: "RS512" }),
  "of another issuer": await token({ ...claims, iss: "https://other.example.com" }),
  "of another client": await token({ ...claims, aud: "client-2" }),
  "that is a logout token": await token(claims, { typ: "logout+jwt" }),
  "without a subject": await token({ iss: issuer, aud: "client-1" }),
};

it("oidc-provider refuses an ID token that a former key signed", async () => {
  const jwks = { keys: [{ ...stranger.privateKey.export({ format: "jwk" }), kid: "current" }] };
  await using bare = await startBareProvider({ jwks });
  const hint = await token({ ...claims, iss: bare.url });
  await assert.rejects(bare.provider.IdToken.validate(hint, client));
});

describe("an ID token as a hint", () => {
  it("is accepted when a former key signed it, long ago", async () => {
    const { header, payload } = await provider.IdToken.validate(await token(), client);
    assert.deepEqual(header, { alg: "RS256", kid: "former" });
    assert.deepEqual(payload, claims);
  });

  for (const [what, hint] of Object.entries(refused)) {
    it(`is refused, one ${what}`, async () => {
      await assert.rejects(provider.IdToken.validate(hint, client));
    });
  }
});
