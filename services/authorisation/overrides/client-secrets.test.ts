import assert from "node:assert/strict";
import { it } from "node:test";
import { bareClient, startBareProvider } from "../testing/bare-provider.ts";
import { compareSecretsByHash } from "./client-secrets.ts";

const form = { grant_type: "authorization_code", code: "x", redirect_uri: "https://app.example" };

async function errorOf(response: Response): Promise<unknown> {
  return ((await response.json()) as { error: string }).error;
}

it("oidc-provider compares with the secret itself, and at once", async () => {
  await using bare = await startBareProvider();
  const client = await bare.provider.Client.find("app");
  assert.equal(await client?.compareClientSecret(bareClient.client_secret), true);
  assert.equal(await errorOf(await bare.post("/token", form)), "invalid_grant");
});

it("the secret is compared as told, and every refusal of a client waits", async () => {
  const compared: string[] = [];
  let waits = 0;
  await using bare = await startBareProvider({}, (provider) => {
    compareSecretsByHash(provider, {
      async matches(presented, client) {
        compared.push(`${client.clientId}:${presented}`);
        return presented === "another secret";
      },
      async pad() {
        waits++;
      },
    });
  });
  const credentials = { known: "app:another secret", wrong: "app:x", unknown: "nobody:x" };
  const outcomes: unknown[] = [];
  for (const text of Object.values(credentials)) {
    const authorization = `Basic ${Buffer.from(text).toString("base64")}`;
    outcomes.push([await errorOf(await bare.post("/token", form, { authorization })), waits]);
  }
  assert.deepEqual(outcomes, [
    ["invalid_grant", 0],
    ["invalid_client", 1],
    ["invalid_client", 2],
  ]);
  assert.deepEqual(compared, ["app:another secret", "app:x"]);
});
