import assert from "node:assert/strict";
import { it } from "node:test";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService } from "../testing/test-service.ts";

it("servers at two ports keep their sessions apart, if their cookies have two names", async () => {
  await using service = await startTestService();
  const another = await service.startAnother({ SESSION_COOKIE: "__Host-other" });
  const browser = await service.signIn();
  // A browser sends the cookies of a host to all its ports.
  const there = new TestBrowser(another.origin);
  for (const [name, value] of browser.cookies) there.cookies.set(name, value);
  await service.signIn(there);
  assert.deepEqual([...there.cookies.keys()], ["stowage", "other"]);
  assert.equal((await browser.session()).status, 200);
  const headers = { "sec-fetch-site": "same-origin" };
  await there.send("/sign-out", { method: "POST", headers });
  assert.deepEqual([...there.cookies.keys()], ["stowage"]);
  assert.equal((await browser.session()).status, 200);
});
