import assert from "node:assert/strict";
import { it } from "node:test";
import { startBareProvider } from "../testing/bare-provider.ts";
import { publishDocuments } from "./published-documents.ts";

const [keysPath, metadataPath] = ["/jwks", "/.well-known/openid-configuration"];

it("oidc-provider publishes one key and more metadata, and no cache may store them", async () => {
  await using bare = await startBareProvider();
  const [keys, metadata] = [await bare.browse(keysPath), await bare.browse(metadataPath)];
  assert.ok("userinfo_endpoint" in ((await metadata.json()) as object));
  for (const response of [keys, metadata]) {
    assert.doesNotMatch(response.headers.get("cache-control") ?? "", /max-age/);
  }
});

it("the published keys and the true metadata take their place", async () => {
  const published = [
    { kty: "RSA", use: "sig", alg: "RS256", kid: "k", e: "AQAB", n: "1" } as const,
  ];
  const options = { signingKeys: { published }, keyPublicationSeconds: 60 };
  await using bare = await startBareProvider({}, (provider) =>
    provider.use(publishDocuments(options)),
  );
  const [keys, metadata] = [await bare.browse(keysPath), await bare.browse(metadataPath)];
  assert.deepEqual(await keys.json(), { keys: published });
  assert.equal(keys.headers.get("cache-control"), "public, max-age=30");
  assert.equal(((await metadata.json()) as { issuer: string }).issuer, bare.url);
  assert.equal(metadata.headers.get("cache-control"), "public, max-age=300");
});
