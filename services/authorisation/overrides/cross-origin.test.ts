import assert from "node:assert/strict";
import { it } from "node:test";
import { bareClient, startBareProvider } from "../testing/bare-provider.ts";
import { corsPolicy } from "./cross-origin.ts";

const page = { ...bareClient, client_id: "page", token_endpoint_auth_method: "none" as const };
const configuration = { clients: [bareClient, page], clientBasedCORS: () => true };
const form = { grant_type: "authorization_code", code: "x", redirect_uri: "https://x.example" };
const [own, other] = ["https://app.example", "https://evil.example"];

it("oidc-provider asks which origins may read before it authenticates the client", async () => {
  const order: string[] = [];
  const decide = () => order.push("origin") > 0;
  await using bare = await startBareProvider({ clientBasedCORS: decide }, ({ Client }) => {
    const { compareClientSecret } = Client.prototype;
    Client.prototype.compareClientSecret = function (secret: string) {
      order.push("secret");
      return compareClientSecret.call(this, secret);
    };
  });
  await bare.post("/token", form, { origin: own });
  assert.deepEqual(order.slice(0, 2), ["origin", "secret"]);
});

it("only pages of a client without a secret may read its answers", async () => {
  await using bare = await startBareProvider(configuration, (provider) =>
    provider.use(corsPolicy(async () => page.redirect_uris)),
  );
  const allowed = async (fields: Record<string, string>, headers: Record<string, string>) =>
    (await bare.post("/token", { ...form, ...fields }, headers)).headers.get(
      "access-control-allow-origin",
    );
  const asPage = async (origin: string) => {
    const body = new URLSearchParams({ ...form, client_id: "page" });
    const response = await fetch(`${bare.url}/token`, {
      method: "POST",
      headers: { origin },
      body,
    });
    return response.headers.get("access-control-allow-origin");
  };
  assert.equal(await asPage(own), own);
  assert.equal(await asPage(other), null);
  assert.equal(await allowed({}, { origin: own }), null);
});

it("an outage of the database leaves the answer as it is, for no other origin", async () => {
  const outage = () => Promise.reject(new Error("connect ECONNREFUSED"));
  await using bare = await startBareProvider(configuration, (provider) =>
    provider.use(corsPolicy(outage)),
  );
  for (const headers of [{ origin: own }, {}]) {
    const body = new URLSearchParams({ ...form, client_id: "unknown" });
    const response = await fetch(`${bare.url}/token`, { method: "POST", headers, body });
    assert.notEqual(response.status, 500);
    assert.equal(response.headers.get("access-control-allow-origin"), null);
  }
});
