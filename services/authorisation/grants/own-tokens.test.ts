import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { it } from "node:test";
import { memoryDenylist, TokenRefusedError } from "@stowage/access-token";
import { importPKCS8, SignJWT } from "jose";
import { type OwnTokensOptions, ownTokenReader } from "./own-tokens.ts";

const authUrl = "https://login.example.com";
const keys = pair();
const now = () => Math.floor(Date.now() / 1000);

/** The private key as PKCS #8. */
function pair(): { privateKey: string; publicKey: KeyObject } {
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

async function sign(
  changes: Record<string, unknown> = {},
  privateKey = keys.privateKey,
  typ = "JWT",
): Promise<string> {
  const claims = {
    iss: authUrl,
    sub: "urn:svc:user:7",
    aud: ["urn:svc:uploads"],
    exp: now() + 60,
    nbf: now(),
    iat: now(),
    jti: "t1",
    client_id: "c1",
    scope: "upl:bucket:read",
    ...changes,
  };
  return await new SignJWT(claims)
    .setProtectedHeader({ alg: "RS256", typ, kid: "k1" })
    .sign(await importPKCS8(privateKey, "RS256"));
}

function reader(changes: Partial<OwnTokensOptions> = {}) {
  return ownTokenReader({
    authUrl,
    audiences: ["urn:svc:uploads", "urn:svc:other"],
    findPublicKey: async (keyId) => (keyId === "k1" ? keys.publicKey : undefined),
    denylist: memoryDenylist(),
    ...changes,
  });
}

it("reads a token for any of our audiences", async () => {
  const read = reader();
  for (const audience of ["urn:svc:uploads", "urn:svc:other"]) {
    const token = await read(await sign({ aud: [audience] }));
    assert.equal(token?.tokenId, "t1");
    assert.deepEqual(token?.audience, [audience]);
  }
});

it("reads no token that is expired, foreign, changed, or no access token", async () => {
  const read = reader();
  const good = await sign();
  const tokens = [
    "",
    "x",
    "a.b.c",
    `${good}x`,
    good.slice(0, -8),
    await sign({ exp: now() }),
    await sign({ nbf: now() + 60 }),
    await sign({ iss: "https://evil.example.com" }),
    await sign({ aud: ["urn:svc:third"] }),
    await sign({ scope: 7 }),
    await sign({}, pair().privateKey),
    await sign({}, keys.privateKey, "logout+jwt"),
  ];
  for (const token of tokens) assert.equal(await read(token), undefined, token);
  const withdrawn = reader({ findPublicKey: async () => undefined });
  assert.equal(await withdrawn(good), undefined);
});

it("reads no token that is revoked by any kind of entry", async () => {
  const entries = [
    { kind: "jti", value: "t1" },
    { kind: "sid", value: "s1" },
    { kind: "kid", value: "k1" },
    { kind: "sub", value: "urn:svc:user:7", issuedBefore: now() + 60 },
  ] as const;
  for (const entry of entries) {
    const denylist = memoryDenylist();
    const read = reader({ denylist });
    const token = await sign({ sid: "s1" });
    assert.ok(await read(token));
    await denylist.add(entry);
    assert.equal(await read(token), undefined, entry.kind);
  }
});

it("fails if the keys or the denylist are not available", async () => {
  const token = await sign();
  const unavailable = () => {
    throw new Error("gone");
  };
  const denylist = { ...memoryDenylist(), check: unavailable };
  for (const changes of [{ denylist }, { findPublicKey: unavailable }]) {
    await assert.rejects(reader(changes)(token), (error: TokenRefusedError) => {
      assert.ok(error instanceof TokenRefusedError);
      return error.status === 503;
    });
  }
});
