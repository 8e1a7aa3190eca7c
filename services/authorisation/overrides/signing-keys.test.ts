import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { it } from "node:test";
import { jwtVerify } from "jose";
import { startBareProvider } from "../testing/bare-provider.ts";
import { changingKeys } from "./signing-keys.ts";

it("ID tokens are signed with the key that signs at the moment", async () => {
  const pairs = ["first", "second"].map((keyId) => ({
    keyId,
    ...generateKeyPairSync("rsa", { modulusLength: 2048 }),
  }));
  let current = pairs[0] as (typeof pairs)[number];
  const keys = changingKeys({
    published: [],
    get currentKeyId() {
      return current.keyId;
    },
    get currentPublicKey() {
      return current.publicKey;
    },
    async sign(keyId, data) {
      const pair = pairs.find((candidate) => candidate.keyId === keyId) ?? current;
      return sign("sha256", data, pair.privateKey);
    },
  });
  await using bare = await startBareProvider({
    jwks: { keys },
    features: { externalSigningSupport: { enabled: true, ack: "experimental-01" } },
  });
  for (const pair of pairs) {
    current = pair;
    const { id_token: idToken = "" } = await bare.tokens();
    const { protectedHeader } = await jwtVerify(idToken, pair.publicKey);
    assert.equal(protectedHeader.kid, pair.keyId);
  }
});

it("oidc-provider does not reread the keys of its configuration", async () => {
  const keys: object[] = [];
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwk = privateKey.export({ format: "jwk" });
  keys.push({ ...jwk, alg: "RS256", kid: "first" });
  await using bare = await startBareProvider({ jwks: { keys: keys as never } });
  keys.unshift({ ...jwk, alg: "RS256", kid: "second" });
  const published = (await (await bare.browse("/jwks")).json()) as { keys: { kid: string }[] };
  assert.deepEqual(
    published.keys.map(({ kid }) => kid),
    ["first"],
  );
});
