/** Rich authorization requests (RFC 9396) of clients that act for themselves. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createAccessTokenValidator, remoteKeySet } from "@stowage/access-token";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import { startTestService, type TestService, testClient } from "../testing/test-service.ts";
import { postForm, requestToken } from "../testing/token-request.ts";

const insecure = { [oauth.allowInsecureRequests]: true };
const details = [
  { type: "bucket", actions: ["read"], locations: ["/photos", "/Ärzte"] },
  { type: "bucket", actions: ["read"], identifier: "3f0c8c1e-6d3b-4c8e-9d54-0a4b5f2f9a11" },
];
let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

describe("a client's authorization_details", () => {
  it("are in the token, in the answer and on record", async () => {
    const issuer = new URL(service.authUrl);
    const discovered = await oauth.discoveryRequest(issuer, insecure);
    const server = await oauth.processDiscoveryResponse(issuer, discovered);
    assert.deepEqual(server.authorization_details_types_supported, ["bucket"]);
    const client = { client_id: testClient.clientId };
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      oauth.ClientSecretBasic(testClient.clientSecret),
      { authorization_details: JSON.stringify(details) },
      insecure,
    );
    const answer = await oauth.processClientCredentialsResponse(server, client, response);
    assert.deepEqual(answer.authorization_details, details);
    const claims = decodeJwt(answer.access_token);
    assert.deepEqual(claims.authorization_details, details);
    const { rows } = await service.pool.query(
      "select authorization_details as recorded from auth.authorisations where token_id = $1",
      [claims.jti],
    );
    assert.deepEqual(rows, [{ recorded: details }]);
    const validator = createAccessTokenValidator({
      issuer: service.authUrl,
      audience: "urn:svc:uploads",
      keySet: remoteKeySet({ issuer: service.authUrl }),
    });
    const token = await validator.validate(answer.access_token);
    assert.deepEqual(token.authorizationDetails, details);
  });

  it("are absent where none are asked for, or an empty list", async () => {
    for (const form of [{}, { authorization_details: "[]" }]) {
      const claims = decodeJwt(await requestToken(service.authUrl, form));
      assert.equal(Object.hasOwn(claims, "authorization_details"), false);
    }
  });

  const refused = [
    "{",
    "{}",
    "[null]",
    '[{"type":"mailbox"}]',
    '[{"type":"__proto__"}]',
    '[{"type":"bucket"}]',
    '[{"type":"bucket","actions":["write"]}]',
    '[{"type":"bucket","actions":["read"],"privileges":["all"]}]',
    '[{"type":"bucket","actions":["read"],"locations":["/\\u0000"]}]',
    '[{"type":"bucket","actions":["read"],"locations":["/\\ud800"]}]',
    JSON.stringify([{ type: "bucket", actions: ["read"] }, { type: "bucket" }]),
    JSON.stringify(Array(17).fill({ type: "bucket", actions: ["read"] })),
    JSON.stringify(details).padEnd(4000),
  ];
  for (const authorization_details of refused) {
    it(`are refused: ${authorization_details.slice(0, 70)}`, async () => {
      const form = { grant_type: "client_credentials", authorization_details };
      const response = await postForm(service.authUrl, form);
      const { error } = (await response.json()) as { error: string };
      assert.deepEqual([response.status, error], [400, "invalid_authorization_details"]);
    });
  }
});

it("no token becomes longer than resource servers accept", async () => {
  const scopes = Array.from({ length: 60 }, (_, index) => `scope:${index}:${"x".repeat(40)}`);
  await service.pool.query("update auth.clients set scopes = $1", [scopes]);
  const locations = [..."abc"].map((name) => `/${name.repeat(950)}`);
  const authorization_details = JSON.stringify([{ type: "bucket", actions: ["read"], locations }]);
  const longest = { scope: scopes.slice(0, 30).join(" "), authorization_details };
  assert.ok((await requestToken(service.authUrl, longest)).length <= 8 * 1024);
  const form = { grant_type: "client_credentials", authorization_details };
  const response = await postForm(service.authUrl, form);
  const { error } = (await response.json()) as { error: string };
  assert.deepEqual([response.status, error], [400, "invalid_request"]);
});
