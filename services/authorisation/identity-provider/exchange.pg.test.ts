import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { until } from "@stowage/process/testing";
import { decodeJwt } from "jose";
import { signOutEverywhere } from "../store/accounts.ts";
import { exchange } from "../testing/exchange-request.ts";
import { addOtherClient, type OtherClient } from "../testing/other-clients.ts";
import { atProvider, settingsOf, startTwoProviders } from "../testing/other-provider.ts";

const idTokenType = "urn:ietf:params:oauth:token-type:id_token";
const bucket = "3f0c8c1e-6d3b-4c8e-9d54-0a4b5f2f9a11";
const limits = [{ type: "bucket", identifier: bucket, actions: ["read"] }];

const people = {
  person: { groups: ["guests"], preferred_username: "person" },
  stranger: { groups: [] },
};

let world: Awaited<ReturnType<typeof startTwoProviders>>;
let client: OtherClient;
before(async () => {
  world = await startTwoProviders(
    people,
    [{ groupName: "guests", authorizationDetails: limits }],
    // "app" is another client of the provider, which the command line may have.
    { provider: { audiences: [atProvider.clientId, "app"] } },
  );
  client = await addOtherClient(world.service.pool, {
    scopes: ["upl:bucket:read", "service_account"],
  });
});
after(() => world[Symbol.asyncDispose]());

/** Exchanges an ID token that the provider gives to its client "app". */
async function exchangeIdToken(accountId = "person", form: Record<string, string> = {}) {
  const { service, other } = world;
  other.accountId = accountId;
  other.forget();
  const { id_token: idToken } = await other.tokens({ scope: "openid profile" });
  const types = { subject_token_type: idTokenType };
  const send = () => exchange(service.authUrl, client, String(idToken), { ...types, ...form });
  return { idToken: String(idToken), send, answer: await send() };
}

it("an ID token gives a token of the person, with what the groups allow", async () => {
  const { answer, idToken } = await exchangeIdToken();
  assert.equal(answer.status, 200);
  const claims = decodeJwt(answer.access_token);
  assert.match(String(claims.sub), /^urn:svc:user:/);
  assert.equal(claims.scope, "upl:bucket:read");
  assert.equal(claims.client_id, client.clientId);
  assert.equal(claims["urn:svc:auth:organisation_id"], "acme");
  assert.deepEqual(
    [claims.aud, claims.act, claims.sid],
    [["urn:svc:uploads"], undefined, undefined],
  );
  assert.deepEqual(claims.authorization_details, limits);
  assert.ok(Number(claims.exp) <= Number(decodeJwt(idToken).exp));
  assert.equal(answer.issued_token_type, "urn:ietf:params:oauth:token-type:access_token");
});

it("details must be within those of the groups", async () => {
  const folder = { ...limits[0], locations: ["/photos"] };
  const narrow = { authorization_details: JSON.stringify([folder]) };
  const { answer } = await exchangeIdToken("person", narrow);
  assert.deepEqual(answer.authorization_details, [folder]);
  const all = [{ type: "bucket", actions: ["read"] }];
  const wide = { authorization_details: JSON.stringify(all) };
  const refused = await exchangeIdToken("person", wide);
  assert.equal(refused.answer.error, "invalid_authorization_details");
});

it("a person without access, and a client of another organisation, get nothing", async () => {
  assert.equal((await exchangeIdToken("stranger")).answer.error, "invalid_request");
  const { idToken } = await exchangeIdToken();
  const globex = await addOtherClient(world.service.pool, { organisationId: "globex" });
  const types = { subject_token_type: idTokenType };
  const refused = await exchange(world.service.authUrl, globex, idToken, types);
  assert.equal(refused.error, "invalid_request");
});

it("an access token of the provider, or an ID token as an access token, is refused", async () => {
  const { other, service } = world;
  const { access_token: accessToken } = await other.tokens({ scope: "openid" });
  const types = { subject_token_type: idTokenType };
  const first = await exchange(service.authUrl, client, String(accessToken), types);
  assert.equal(first.error, "invalid_request");
  const { idToken } = await exchangeIdToken();
  assert.equal((await exchange(service.authUrl, client, idToken)).error, "invalid_request");
});

it("after sign-out, an earlier ID token is worth nothing, and a later one is", async () => {
  const { send } = await exchangeIdToken();
  await signOutEverywhere(world.service.pool, "person");
  assert.equal((await send()).error, "invalid_request");
  await until("a later one", async () => (await exchangeIdToken()).answer.status === 200);
});

it("another audience is refused, and while the provider is down the answer is 503", async () => {
  const { service, other } = world;
  const { idToken } = await exchangeIdToken();
  const strict = await service.startAnother({ identityProvider: settingsOf(other.url) });
  const down = settingsOf("http://127.0.0.1:1");
  const alone = await service.startAnother({ identityProvider: down });
  const types = { subject_token_type: idTokenType };
  try {
    const refused = await exchange(strict.authUrl, client, idToken, types);
    assert.equal(refused.error, "invalid_request");
    const later = await exchange(alone.authUrl, client, idToken, types);
    assert.deepEqual([later.status, later.error], [503, "temporarily_unavailable"]);
  } finally {
    await strict.stop();
    await alone.stop();
  }
});
