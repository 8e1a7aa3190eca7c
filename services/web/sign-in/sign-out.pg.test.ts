import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { TestBrowser } from "../testing/test-browser.ts";
import { client } from "../testing/test-issuer.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

const headers = { "sec-fetch-site": "same-origin" };

async function assertSignedOut(browser: TestBrowser): Promise<void> {
  assert.equal(browser.cookies.has("stowage"), false);
  assert.equal((await browser.session()).status, 401);
}

it("signing out ends the session, revokes its tokens and leads to the issuer", async () => {
  const browser = await service.signIn();
  const before = new Set(service.issuer.refreshTokens);
  const { text } = await browser.send("/sign-out", { method: "POST", headers });
  const url = new URL(JSON.parse(text).url);
  assert.equal(url.origin + url.pathname, `${service.issuer.url}/session/end`);
  const { id_token_hint, ...rest } = Object.fromEntries(url.searchParams);
  assert.equal(id_token_hint?.split(".").length, 3);
  assert.deepEqual(rest, {
    client_id: client.id,
    post_logout_redirect_uri: `${service.origin}/`,
  });
  assert.ok(before.has(service.issuer.revoked.at(-1) ?? ""));
  await assertSignedOut(browser);
});

it("signing out leads to the issuer even if the session here is over already", async () => {
  const browser = await service.signIn();
  await service.pool.query("delete from web.sessions");
  for (const each of [browser, new TestBrowser(service.origin)]) {
    const { status, text } = await each.send("/sign-out", { method: "POST", headers });
    assert.equal(status, 200);
    const url = new URL(JSON.parse(text).url);
    assert.equal(url.origin + url.pathname, `${service.issuer.url}/session/end`);
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      client_id: client.id,
      post_logout_redirect_uri: `${service.origin}/`,
    });
    await assertSignedOut(each);
  }
});

it("signing out fails, and may be repeated, while the issuer cannot say where", async () => {
  await using alone = await startTestService();
  const browser = await alone.signIn();
  // A process that has not read the metadata of the issuer yet.
  const { origin } = await alone.startAnother();
  const other = new TestBrowser(origin);
  for (const [name, value] of browser.cookies) other.cookies.set(name, value);
  await alone.issuer.pause();
  const failed = await other.send("/sign-out", { method: "POST", headers });
  assert.deepEqual([failed.status, failed.reason], [503, "ISSUER_UNAVAILABLE"]);
  assert.equal((await browser.session()).reason, "SESSION_ENDED");
  await alone.issuer.resume();
  const { text } = await other.send("/sign-out", { method: "POST", headers });
  assert.ok(JSON.parse(text).url.startsWith(`${alone.issuer.url}/session/end?`));
});
