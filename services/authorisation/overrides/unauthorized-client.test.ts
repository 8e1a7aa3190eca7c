import assert from "node:assert/strict";
import { it } from "node:test";
import { bareClient, startBareProvider } from "../testing/bare-provider.ts";
import { answerUnauthorizedClient } from "./unauthorized-client.ts";

const configuration = { clients: [{ ...bareClient, grant_types: ["authorization_code"] }] };
const form = { grant_type: "refresh_token", refresh_token: "x" };
const description = "requested grant type is not allowed for this client";

it("oidc-provider has another code than the standard", async () => {
  await using bare = await startBareProvider({
    ...configuration,
    scopes: ["openid", "offline_access"],
  });
  const response = await bare.post("/token", form);
  assert.deepEqual(await response.json(), {
    error: "invalid_request",
    error_description: description,
  });
});

it("a grant type that the client may not use is unauthorized_client", async () => {
  await using bare = await startBareProvider(configuration, answerUnauthorizedClient);
  const response = await bare.post("/token", form);
  assert.equal(response.status, 400);
  assert.deepEqual(await response.json(), {
    error: "unauthorized_client",
    error_description: description,
  });
});
