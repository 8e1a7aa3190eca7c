import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

let service: TestService;
before(async () => {
  service = await startTestService({ PERSON_SESSIONS_MAX: "2" });
});
after(() => service[Symbol.asyncDispose]());

/** Signs in during a session at the issuer, "" for one without a name. */
async function signInDuring(sid: string, browser = new TestBrowser(service.origin)) {
  const { issuer } = service;
  const before = new Set(issuer.refreshTokens);
  issuer.idTokenClaims = { sid };
  await service.signIn(browser);
  issuer.idTokenClaims = {};
  return { browser, token: [...issuer.refreshTokens].find((each) => !before.has(each)) };
}

describe("the refresh token of a session that a sign-in ends", () => {
  it("is revoked if the sign-in belongs to another session at the issuer", async () => {
    const { browser, token } = await signInDuring("first");
    await signInDuring("second", browser);
    assert.deepEqual(service.issuer.revoked.splice(0), [token]);
    assert.equal((await browser.session()).status, 200);
  });

  for (const sid of ["same", ""]) {
    it(`is kept if both sign-ins belong to the session "${sid}"`, async () => {
      await service.pool.query("delete from web.sessions");
      const { browser } = await signInDuring(sid);
      await signInDuring(sid, browser);
      assert.deepEqual(service.issuer.revoked, []);
    });
  }

  it("is revoked when the person has too many sessions", async () => {
    await service.pool.query("delete from web.sessions");
    const { token } = await signInDuring("first");
    await signInDuring("second");
    assert.deepEqual(service.issuer.revoked, []);
    await signInDuring("third");
    assert.deepEqual(service.issuer.revoked.splice(0), [token]);
  });

  it("need not be revoked for the sign-in to succeed", async () => {
    await service.pool.query("delete from web.sessions");
    const { browser, token } = await signInDuring("first");
    service.issuer.revocationStatus = 500;
    await signInDuring("second", browser);
    assert.deepEqual(service.issuer.revoked, [token]);
    assert.equal((await browser.session()).status, 200);
  });
});
