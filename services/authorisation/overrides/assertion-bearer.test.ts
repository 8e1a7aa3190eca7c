import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { it } from "node:test";
import type { Provider } from "oidc-provider";
import { jwtBearerGrantType } from "../model/grant-types.ts";
import { bareClient, startBareProvider } from "../testing/bare-provider.ts";
import { addBearerClientId, bearerClientId } from "./assertion-bearer.ts";

const bearer = {
  client_id: bearerClientId,
  token_endpoint_auth_method: "none" as const,
  grant_types: [jwtBearerGrantType],
  response_types: [],
  redirect_uris: [],
};
const type = "application/x-www-form-urlencoded";
const form = `grant_type=${encodeURIComponent(jwtBearerGrantType)}&assertion=x`;

function registerGrant(provider: Provider): void {
  provider.registerGrantType(jwtBearerGrantType, (ctx) => {
    ctx.body = { client: ctx.oidc.client?.clientId };
  });
}

async function send(body: string): Promise<unknown> {
  const configuration = { clients: [bareClient, bearer] };
  await using bare = await startBareProvider(configuration, registerGrant);
  const headers = { "content-type": type };
  const response = await fetch(`${bare.url}/token`, { method: "POST", headers, body });
  return await response.json();
}

function named(body: string, headers: Record<string, string> = { "content-type": type }): string {
  return addBearerClientId({ headers } as unknown as IncomingMessage, Buffer.from(body)).toString();
}

it("oidc-provider refuses an assertion without a client", async () => {
  const answer = (await send(form)) as { error: string };
  assert.equal(answer.error, "invalid_request");
});

it("an assertion without a client gets one", async () => {
  assert.deepEqual(await send(named(form)), { client: bearerClientId });
});

it("other requests stay as they are", () => {
  assert.equal(named(`${form}&client_id=app`), `${form}&client_id=app`);
  assert.equal(named("grant_type=client_credentials"), "grant_type=client_credentials");
  assert.equal(named(form, { "content-type": "text/plain" }), form);
  assert.equal(named(form, { "content-type": type, authorization: "Basic x" }), form);
});
