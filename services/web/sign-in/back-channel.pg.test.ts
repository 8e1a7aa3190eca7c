import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { JWTHeaderParameters, JWTPayload } from "jose";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

const form = { "content-type": "application/x-www-form-urlencoded" };

function post(token: string, headers = form) {
  const body = `${new URLSearchParams({ logout_token: token })}`;
  return new TestBrowser(service.origin).send("/back-channel-logout", {
    method: "POST",
    headers,
    body,
  });
}

const now = () => Math.floor(Date.now() / 1000);
const event = "http://schemas.openid.net/event/backchannel-logout";
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");

/** Changed claims and header parameters of a right token. */
type Change = [what: string, claims: JWTPayload, header?: Partial<JWTHeaderParameters>];

const wrong: readonly Change[] = [
  ["of another issuer", { iss: "https://attacker.example" }],
  ["without an issuer", { iss: undefined as never }],
  ["for another client", { aud: randomUUID() }],
  ["for nobody", { aud: undefined as never }],
  ["that has expired", { exp: now() - 31 }],
  ["without expiry", { exp: undefined as never }],
  ["of an hour ago that expires tomorrow", { iat: now() - 3600, exp: now() + 86_400 }],
  ["of the future", { iat: now() + 600, exp: now() + 660 }],
  ["without a time", { iat: undefined as never }],
  ["without an ID", { jti: undefined as never }],
  ["with an empty ID", { jti: "" }],
  ["with a number as its ID", { jti: 1 as never }],
  ["without events", { events: undefined }],
  ["with another event", { events: { "http://schemas.openid.net/event/other": {} } }],
  ["whose event is a text", { events: { [event]: "yes" } }],
  ["whose event is null", { events: { [event]: null } }],
  ["whose events are a list", { events: [event] }],
  ["with a nonce, like an ID token", { nonce: "n" }],
  ["with an empty nonce", { nonce: "" }],
  ["with neither session nor subject", { sid: undefined, sub: undefined as never }],
  ["whose session is a number", { sid: 1 }],
  ["whose subject is empty", { sub: "" }],
  ["of the type of ID tokens", {}, { typ: "JWT" }],
  ["of the type of access tokens", {}, { typ: "at+jwt" }],
  ["of no type", {}, { typ: undefined as never }],
  ["with an unknown key", {}, { kid: "unknown" }],
];

describe("a logout token is refused", () => {
  for (const [what, claims, header] of wrong) {
    it(what, async () => {
      const browser = await service.signIn();
      assertRefused(await post(await service.issuer.logoutToken(claims, header)));
      assert.equal((await browser.session()).status, 200, "the session goes on");
    });
  }

  it("with the signature of another key", async () => {
    assertRefused(await post(await service.issuer.logoutToken({}, {}, true)));
  });

  it("without a signature (alg none), or with the public key as a secret (HS256)", async () => {
    const [, claims = ""] = (await service.issuer.logoutToken()).split(".");
    for (const alg of ["none", "HS256"]) {
      const head = encode({ alg, typ: "logout+jwt" });
      assertRefused(await post(`${head}.${claims}.`));
      assertRefused(await post(`${head}.${claims}.AAAA`));
    }
  });

  it("with changed claims", async () => {
    const [head, claims = "", signature] = (await service.issuer.logoutToken()).split(".");
    const changed = { ...JSON.parse(Buffer.from(claims, "base64url").toString()), jti: "other" };
    assertRefused(await post(`${head}.${encode(changed)}.${signature}`));
  });

  it("a second time", async () => {
    const token = await service.issuer.logoutToken();
    assert.equal((await post(token)).status, 200);
    const browser = await service.signIn();
    assertRefused(await post(token));
    assert.equal((await browser.session()).status, 200);
  });

  it("a second time at once, in any of several requests", async () => {
    const token = await service.issuer.logoutToken();
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(token)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400]);
  });

  it("that is no token, is twice in the form, or is not in a form", async () => {
    for (const text of ["", "x", "a.b.c", "a.b.c.d.e"]) assertRefused(await post(text));
    const token = await service.issuer.logoutToken();
    const browser = new TestBrowser(service.origin);
    const send = (body: string, headers: object = form) =>
      browser.send("/back-channel-logout", { method: "POST", headers: { ...headers }, body });
    assertRefused(await send(`logout_token=${token}&logout_token=${token}`));
    assertRefused(await send(`logout_token=${token}`, { "content-type": "text/plain" }));
    assertRefused(await send(""));
    assert.equal((await send(`logout_token=${"x".repeat(17_000)}`)).status, 429);
    assert.equal((await send(`logout_token=${token}`)).status, 200, "it was not used up");
  });
});

function assertRefused({ status, text, headers }: Awaited<ReturnType<typeof post>>): void {
  assert.equal(status, 400, text);
  assert.equal(JSON.parse(text).error, "invalid_request");
  assert.equal(headers["cache-control"], "no-store");
}

describe("a logout token ends", () => {
  it("the sessions of its session at the issuer, and no others", async () => {
    const browser = await service.signIn();
    const sameSession = await service.signIn();
    const { sid } = service.issuer;
    Object.assign(service.issuer, { idTokenClaims: { sid: randomUUID() } });
    const other = await service.signIn();
    Object.assign(service.issuer, { idTokenClaims: {} });
    assert.equal((await post(await service.issuer.logoutToken({ sid }))).status, 200);
    assert.equal((await browser.session()).reason, "SESSION_ENDED");
    assert.equal((await sameSession.session()).reason, "SESSION_ENDED");
    assert.equal((await other.session()).status, 200);
  });

  it("all sessions of its subject, if it names no session", async () => {
    const browsers = [await service.signIn(), await service.signIn()];
    const token = await service.issuer.logoutToken({ sid: undefined });
    assert.equal((await post(token)).status, 200);
    for (const browser of browsers) assert.equal((await browser.session()).status, 401);
  });

  it("nothing if session and subject do not belong together", async () => {
    const browser = await service.signIn();
    const token = await service.issuer.logoutToken({ sub: "urn:svc:user:other" });
    assert.equal((await post(token)).status, 200);
    assert.equal((await browser.session()).status, 200);
  });
});

it("while the keys cannot be read, the issuer is asked to try again", async () => {
  await using fresh = await startTestService();
  const token = await fresh.issuer.logoutToken();
  await fresh.issuer.pause();
  const body = `logout_token=${token}`;
  const browser = new TestBrowser(fresh.origin);
  const send = () => browser.send("/back-channel-logout", { method: "POST", headers: form, body });
  assert.equal((await send()).status, 503);
  await fresh.issuer.resume();
  assert.equal((await send()).status, 200, "the token was not used up");
});
