import assert from "node:assert/strict";
import { it } from "node:test";
import { exchange } from "../testing/exchange-request.ts";
import { addOtherClient } from "../testing/other-clients.ts";
import { startTestService } from "../testing/test-service.ts";

it("without another provider there are neither its addresses nor its tokens", async () => {
  await using service = await startTestService();
  for (const path of ["/provider/callback?state=x", "/provider/signed-out"]) {
    const answer = await fetch(service.authUrl + path);
    assert.equal(answer.status, 404, path);
    assert.doesNotMatch(await answer.text(), /at |node_modules/);
  }
  const logout = await fetch(`${service.authUrl}/provider/logout`, { method: "POST" });
  assert.equal(logout.status, 404);
  const client = await addOtherClient(service.pool);
  const types = { subject_token_type: "urn:ietf:params:oauth:token-type:id_token" };
  const { error } = await exchange(service.authUrl, client, "x.y.z", types);
  assert.equal(error, "invalid_request");
  const page = await fetch(`${service.authUrl}/account`);
  assert.doesNotMatch(await page.text(), /value="provider"/);
});
