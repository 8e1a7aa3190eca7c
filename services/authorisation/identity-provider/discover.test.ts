import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { discoverer } from "./discover.ts";

const entra = "https://login.microsoftonline.com";
const tenant = `${entra}/833ced3d-cb2e-41de-92f1-29e2af035ddc/v2.0`;

/** Discovers a provider with an issuer, whose metadata name another one, perhaps. */
function discover(t: TestContext, issuer: string, metadataIssuer = issuer, changes = {}) {
  const metadata = {
    issuer: metadataIssuer,
    authorization_endpoint: `${entra}/authorize`,
    token_endpoint: `${entra}/token`,
    jwks_uri: `${entra}/keys`,
    ...changes,
  };
  let answer = async () => Response.json(metadata);
  const asked = t.mock.method(globalThis, "fetch", () => answer());
  const run = discoverer({
    issuer,
    name: "Entra",
    clientId: "stowage",
    clientSecret: "a secret",
    scopes: "openid",
    groupsClaim: "groups",
    audiences: [],
  });
  const fail = () => {
    answer = () => Promise.reject(new TypeError("fetch failed"));
  };
  return { run, asked, fail };
}

it("one tenant of Entra ID is discovered once, and known while it is down", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const { run, asked, fail } = discover(t, tenant);
  await Promise.all([run(), run()]);
  const { configuration } = await run();
  assert.equal(configuration.serverMetadata().issuer, tenant);
  assert.equal(asked.mock.callCount(), 1);
  fail();
  t.mock.timers.tick(3_600_001);
  assert.equal((await run()).configuration, configuration);
  assert.equal(asked.mock.callCount(), 2);
});

for (const issuer of [`${entra}/common/v2.0`, `${entra}/organizations/v2.0`]) {
  it(`people of any tenant are refused: ${issuer}`, async (t) => {
    const { run } = discover(t, issuer, `${entra}/{tenantid}/v2.0`);
    await assert.rejects(run(), /for Entra ID the issuer of one tenant/);
  });
}

it("metadata of another issuer are refused, also by a slash", async (t) => {
  const issuer = "https://login.example.com/realms/acme";
  await assert.rejects(discover(t, issuer, `${issuer}x`).run(), /issuer/);
  await assert.rejects(discover(t, issuer, `${issuer}/`).run(), /issuer/);
});

it("keys without TLS are never fetched", async (t) => {
  const { run } = discover(t, tenant, tenant, { jwks_uri: "http://login.example.com/keys" });
  const { keys } = await run();
  const fetched = async () => await keys({ alg: "RS256" }, { payload: "", signature: "" });
  await assert.rejects(fetched(), /does not answer/);
});
