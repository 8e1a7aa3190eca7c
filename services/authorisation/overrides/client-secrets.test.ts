import assert from "node:assert/strict";
import { it } from "node:test";
import { bareClient, startBareProvider } from "../testing/bare-provider.ts";
import { compareSecretsByHash } from "./client-secrets.ts";

const form = { grant_type: "authorization_code", code: "x", redirect_uri: "https://app.example" };

async function errorOf(response: Response): Promise<unknown> {
  return ((await response.json()) as { error: string }).error;
}

it("oidc-provider compares with the secret itself", async () => {
  await using bare = await startBareProvider();
  const client = await bare.provider.Client.find("app");
  assert.equal(await client?.compareClientSecret(bareClient.client_secret), true);
  assert.equal(await errorOf(await bare.post("/token", form)), "invalid_grant");
});

it("the secret is compared as told", async () => {
  const compared: string[] = [];
  await using bare = await startBareProvider({}, (provider) => {
    compareSecretsByHash(provider, async (presented, client) => {
      compared.push(`${client.clientId}:${presented}`);
      return presented === "another secret";
    });
  });
  const credentials = { known: "app:another secret", wrong: "app:x", unknown: "nobody:x" };
  const outcomes: unknown[] = [];
  for (const text of Object.values(credentials)) {
    const authorization = `Basic ${Buffer.from(text).toString("base64")}`;
    outcomes.push(await errorOf(await bare.post("/token", form, { authorization })));
  }
  assert.deepEqual(outcomes, ["invalid_grant", "invalid_client", "invalid_client"]);
  assert.deepEqual(compared, ["app:another secret", "app:x"]);
});
