import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { decodeJwt } from "jose";
import { exchange } from "../testing/exchange-request.ts";
import { addOtherClient, type OtherClient } from "../testing/other-clients.ts";
import { startTestService, type TestService, testAudiences } from "../testing/test-service.ts";
import { basic } from "../testing/token-request.ts";
import { userToken } from "../testing/user-token.ts";

let service: TestService;
let other: OtherClient;
before(async () => {
  service = await startTestService();
  other = await addOtherClient(service.pool);
});
after(() => service[Symbol.asyncDispose]());

const types = "urn:ietf:params:oauth:token-type";
const refused: [what: string, form: Record<string, string> | string[][], error: string][] = [
  ["without a subject_token", { subject_token: "" }, "invalid_request"],
  ["without a subject_token_type", { subject_token_type: "" }, "invalid_request"],
  ["of an ID token", { subject_token_type: `${types}:id_token` }, "invalid_request"],
  ["of a refresh token", { subject_token_type: `${types}:refresh_token` }, "invalid_request"],
  ["for an ID token", { requested_token_type: `${types}:id_token` }, "invalid_request"],
  ["for a SAML assertion", { requested_token_type: `${types}:saml2` }, "invalid_request"],
  ["with an actor_token", { actor_token: "a", actor_token_type: types }, "invalid_request"],
  ["with the type of no actor_token", { actor_token_type: types }, "invalid_request"],
  ["for a scope beyond the token's", { scope: "upl:bucket:delete" }, "invalid_scope"],
  ["for a scope beyond the client's", { scope: "upl:bucket:write" }, "invalid_scope"],
  ["for a resource beyond the token's", { resource: testAudiences[1] ?? "" }, "invalid_target"],
  ["for an audience beyond the token's", { audience: testAudiences[1] ?? "" }, "invalid_target"],
  ["for an unknown audience", { audience: "urn:svc:unknown" }, "invalid_target"],
  [
    "for two resources",
    [
      ["resource", "urn:svc:uploads"],
      ["resource", "urn:svc:unknown"],
    ],
    "invalid_target",
  ],
  [
    "with two subject_tokens",
    [
      ["subject_token", "a"],
      ["subject_token", "b"],
    ],
    "invalid_request",
  ],
  [
    "with details that are no JSON",
    { authorization_details: "{" },
    "invalid_authorization_details",
  ],
  [
    "with details of an unknown type",
    { authorization_details: '[{"type":"mailbox"}]' },
    "invalid_authorization_details",
  ],
];
describe("token exchange refuses a request", () => {
  for (const [what, form, error] of refused) {
    it(what, async () => {
      const answer = await exchange(service.authUrl, other, await userToken(service), form);
      assert.deepEqual([answer.status, answer.error], [400, error]);
    });
  }

  it("for the issuer", async () => {
    const aud = ["urn:svc:uploads", service.authUrl];
    const ofBoth = await userToken(service, { aud });
    const form = [["resource", service.authUrl]];
    const { error } = await exchange(service.authUrl, other, ofBoth, form);
    assert.equal(error, "invalid_target");
    const { access_token } = await exchange(service.authUrl, other, ofBoth);
    assert.deepEqual(decodeJwt(access_token).aud, ["urn:svc:uploads"]);
  });

  it("without any scope that both the token and the client have", async () => {
    const answer = await exchange(
      service.authUrl,
      other,
      await userToken(service, { scope: "openid" }),
    );
    assert.deepEqual([answer.status, answer.error], [400, "invalid_scope"]);
  });

  it("of a client that shows a wrong secret", async () => {
    const authorization = basic(other.clientId, "wrong");
    const answer = await exchange(service.authUrl, { authorization }, await userToken(service));
    assert.deepEqual([answer.status, answer.error], [401, "invalid_client"]);
  });
});
