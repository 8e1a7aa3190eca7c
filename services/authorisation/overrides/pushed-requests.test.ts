import assert from "node:assert/strict";
import { it } from "node:test";
import { UnsecuredJWT } from "jose";
import { withoutToken, withToken } from "./pushed-requests.ts";

it("a pushed request is stored as JSON, and read as oidc-provider wrote it", () => {
  const parameters = { scope: "openid", state: "é \ud83d\ude00 \\", authorization_details: [{}] };
  const request = new UnsecuredJWT(parameters).setIssuer("a client").setIssuedAt(7).encode();
  const payload = { kind: "PushedAuthorizationRequest", request };
  const stored = withoutToken(payload);
  assert.ok(JSON.stringify(stored).length < JSON.stringify(payload).length);
  assert.deepEqual(withToken(stored), payload);
});

it("anything else is stored as it is", () => {
  for (const payload of [{ kind: "Interaction" }, { request: "e30.e30.c2lnbmVk" }]) {
    assert.equal(withoutToken(payload), payload);
    assert.deepEqual(withToken(withoutToken(payload)), payload);
  }
});
