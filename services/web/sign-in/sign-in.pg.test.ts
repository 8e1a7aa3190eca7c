import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { navigation, TestBrowser } from "../testing/test-browser.ts";
import { client } from "../testing/test-issuer.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

const newBrowser = () => new TestBrowser(service.origin);

/** Begins a sign-in; returns the address at the issuer. */
async function begin(browser: TestBrowser, path = "/sign-in"): Promise<string> {
  const { status, headers } = await browser.open(path);
  assert.equal(status, 303);
  return headers.location ?? "";
}

async function assertSignedOut(browser: TestBrowser): Promise<void> {
  assert.equal(browser.cookies.has("stowage"), false);
  assert.equal((await browser.session()).status, 401);
}

describe("a sign-in", () => {
  it("asks the issuer for a code, with PKCE, state and nonce", async () => {
    const url = new URL(await begin(newBrowser()));
    const { state, nonce, code_challenge, ...rest } = Object.fromEntries(url.searchParams);
    assert.equal(url.origin + url.pathname, `${service.issuer.url}/auth`);
    for (const random of [state, nonce, code_challenge]) assert.equal(random?.length, 43);
    assert.deepEqual(rest, {
      client_id: client.id,
      response_type: "code",
      redirect_uri: `${service.origin}/signed-in`,
      scope: "openid profile email upl:bucket:read",
      resource: "urn:svc:uploads",
      code_challenge_method: "S256",
    });
  });

  it("ends where the person was, with a session of a person with a name", async () => {
    service.issuer.idTokenClaims = { name: "Ada Lovelace", preferred_username: "ada" };
    const browser = newBrowser();
    const url = await begin(browser, "/sign-in?return=%2F%3Fbucket%3Dphotos%23top");
    const back = await browser.open(service.issuer.authorize(url));
    service.issuer.idTokenClaims = {};
    assert.deepEqual([back.status, back.headers.location], [303, "/?bucket=photos#top"]);
    assert.deepEqual([...browser.cookies.keys()], ["stowage"]);
    const { expiresAt, ...session } = JSON.parse((await browser.session()).text);
    assert.deepEqual(session, { name: "Ada Lovelace", loginName: "ada", email: null });
    const hours = (Date.parse(expiresAt) - Date.now()) / 3_600_000;
    assert.ok(hours > 7.9 && hours <= 8, expiresAt);
  });

  it("sets cookies that only this host gets, and no script", async () => {
    const browser = newBrowser();
    const begun = await browser.open("/sign-in");
    const back = await browser.open(service.issuer.authorize(begun.headers.location ?? ""));
    const set = [...(begun.headers["set-cookie"] ?? []), ...(back.headers["set-cookie"] ?? [])];
    assert.equal(set.length, 3);
    for (const cookie of set) {
      assert.match(cookie, /^stowage[^=]*=[^;]*; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    }
  });

  it("can run in several tabs at once", async () => {
    const browser = newBrowser();
    const first = await begin(browser, "/sign-in?return=/1");
    const second = await begin(browser, "/sign-in?return=/2");
    for (const [url, location] of [
      [second, "/2"],
      [first, "/1"],
    ] as const) {
      const back = await browser.open(service.issuer.authorize(url));
      assert.equal(back.headers.location, location);
      assert.equal((await browser.session()).status, 200);
    }
  });

  it("leaves at most three unfinished ones in a browser: the newest", async () => {
    const browser = newBrowser();
    const urls: string[] = [];
    for (let tab = 0; tab < 6; tab++) urls.push(await begin(browser, `/sign-in?return=/${tab}`));
    assert.equal(browser.cookies.size, 3);
    const statuses: number[] = [];
    for (const url of urls) {
      statuses.push((await browser.open(service.issuer.authorize(url))).status);
    }
    assert.deepEqual(statuses, [400, 400, 400, 303, 303, 303]);
  });

  it("is only for a window: no image or script of another page begins one", async () => {
    for (const dest of ["image", "empty", "iframe", "script", "worker"]) {
      const headers = { ...navigation, "sec-fetch-dest": dest };
      const { status, headers: answered } = await newBrowser().send("/sign-in", { headers });
      assert.equal(status, 403, dest);
      assert.equal(answered["set-cookie"], undefined);
    }
  });
});

describe("the path to return to", () => {
  const refused = [
    ...["https://attacker.example", "//attacker.example", "/\\attacker.example", "\\\\x", "x", ""],
    "/\t/attacker.example",
    "/\n/x",
    " /x",
    "/ /x",
    "javascript:alert(1)",
    "data:text/html,x",
    ...["/.//attacker.example", "/..//attacker.example", "/x/..//attacker.example", "/%0d/ü"],
    "/./\\attacker.example",
    "http:attacker.example",
    "/\u0000",
  ];
  for (const path of refused) {
    it(`is not ${JSON.stringify(path.slice(0, 40))}`, async () => {
      const browser = newBrowser();
      const answer = await browser.open(`/sign-in?return=${encodeURIComponent(path)}`);
      assert.equal(answer.status, 400);
      assert.match(answer.text, /must be a path of this site/);
      assert.equal(answer.headers.location, undefined);
      assert.equal(browser.cookies.size, 0);
    });
  }
});

describe("the longest paths to return to", () => {
  it("of three tabs and of a further one fit into the headers that Node accepts", async () => {
    const browser = await service.signIn();
    const folder = "%E5%86%99".repeat(221);
    const path = `/?folder=${folder}`;
    assert.ok(path.length > 1990 && path.length <= 2000);
    const headers = {
      ...navigation,
      // As long as those of browsers.
      "user-agent": "x".repeat(600),
      referer: service.origin + path,
    };
    const address = `/sign-in?${new URLSearchParams({ return: path })}`;
    let location = "";
    for (let tab = 0; tab < 4; tab++) {
      const begun = await browser.send(address, { headers });
      assert.equal(begun.status, 303, `tab ${tab}`);
      location = begun.headers.location ?? "";
    }
    assert.equal(browser.cookies.size, 4, "the session and three sign-ins");
    const back = await browser.open(service.issuer.authorize(location));
    assert.deepEqual([back.status, back.headers.location], [303, path]);
  });

  it("too long, become the page itself", async () => {
    const browser = newBrowser();
    const url = await begin(browser, `/sign-in?return=/?folder=${"x".repeat(2000)}`);
    const back = await browser.open(service.issuer.authorize(url));
    assert.deepEqual([back.status, back.headers.location], [303, "/"]);
  });
});

/** Each is one change to a right answer of the issuer. */
const mixUps: Readonly<Record<string, Record<string, string | null>>> = {
  "without a state": { state: null },
  "with the state of nobody": { state: "A".repeat(43) },
  "without an issuer (RFC 9207)": { iss: null },
  "of another issuer (RFC 9207)": { iss: "https://attacker.example" },
  "of an issuer with a slash more": { iss: "http://127.0.0.1:1/" },
  "without a code": { code: null },
  "with the code of another request": { code: "made-up" },
  "that says no": { code: null, error: "access_denied" },
  "that says both yes and no": { error: "access_denied" },
};

describe("an answer of the issuer is refused", () => {
  for (const [what, changes] of Object.entries(mixUps)) {
    it(`${what}`, async () => {
      const browser = newBrowser();
      const url = service.issuer.authorize(await begin(browser), changes);
      const { status, text, headers } = await browser.open(url);
      assert.equal(status, 400);
      assert.match(text, /<a href="\/sign-in[^"]*">Sign in again<\/a>/);
      assert.equal(headers.location, undefined);
      await assertSignedOut(browser);
    });
  }

  it("with two states, one of them right", async () => {
    const browser = newBrowser();
    const url = service.issuer.authorize(await begin(browser));
    assert.equal((await browser.open(`${url}&state=x`)).status, 400);
    await assertSignedOut(browser);
  });

  it("in another browser than the one that asked (login CSRF)", async () => {
    const attacker = newBrowser();
    const url = service.issuer.authorize(await begin(attacker));
    const victim = newBrowser();
    await begin(victim);
    assert.equal((await victim.open(url)).status, 400);
    await assertSignedOut(victim);
  });

  it("with the code of another sign-in of the same browser (PKCE and nonce)", async () => {
    const browser = newBrowser();
    const first = new URL(service.issuer.authorize(await begin(browser)));
    const second = new URL(service.issuer.authorize(await begin(browser)));
    second.searchParams.set("code", first.searchParams.get("code") ?? "");
    assert.equal((await browser.open(second.href)).status, 400);
    await assertSignedOut(browser);
  });

  it("a second time", async () => {
    const browser = newBrowser();
    const cookies = new Map(browser.cookies);
    const url = service.issuer.authorize(await begin(browser));
    const pending = new Map(browser.cookies);
    assert.equal((await browser.open(url)).status, 303);
    browser.cookies.clear();
    assert.equal((await browser.open(url)).status, 400, "the cookie is gone");
    for (const [name, value] of pending) browser.cookies.set(name, value);
    assert.equal((await browser.open(url)).status, 400, "the code was used");
    assert.equal(cookies.size, 0);
  });

  it("after ten minutes, whatever the browser kept", async () => {
    await using quick = await startTestService({ PENDING_SIGN_IN_S: "10" });
    const browser = new TestBrowser(quick.origin);
    const url = quick.issuer.authorize(await begin(browser));
    const { PendingSignIns } = await import("./pending.ts");
    const { keys } = await import("../testing/test-service.ts");
    const cookiePrefix = "stowage-sign-in-";
    const pending = new PendingSignIns({ keys, lifetimeSeconds: 10, pendingMax: 1, cookiePrefix });
    const state = new URL(url).searchParams.get("state") ?? "";
    const beganAtMs = Date.now() - 10_001;
    const old = { state, nonce: "n", codeVerifier: "v", returnPath: "/", beganAtMs };
    const [, name = "", value = ""] =
      /^([^=]+)=([^;]+)/.exec(pending.add(old, "").at(-1) ?? "") ?? [];
    assert.ok(browser.cookies.has(name), "it is the cookie of this sign-in");
    browser.cookies.set(name, value);
    assert.equal((await browser.open(url)).status, 400);
  });

  const wrongTokens = {
    "for another nonce": { nonce: "another" },
    "without a nonce": { nonce: undefined },
    "of another issuer": { iss: "https://attacker.example" },
    "for another client": { aud: "another" },
    "that has expired": { exp: 1_000_000_000 },
  };
  for (const [what, claims] of Object.entries(wrongTokens)) {
    it(`whose ID token is one ${what}`, () => assertTokenRefused(claims));
  }

  it("whose ID token is signed with a key that the issuer does not publish", () =>
    assertTokenRefused({}, { kid: "unknown" }));

  async function assertTokenRefused(claims: object, header: object = {}) {
    const browser = newBrowser();
    const url = service.issuer.authorize(await begin(browser));
    Object.assign(service.issuer, { idTokenClaims: claims, idTokenHeader: header });
    try {
      assert.equal((await browser.open(url)).status, 400);
    } finally {
      Object.assign(service.issuer, { idTokenClaims: {}, idTokenHeader: {} });
    }
    await assertSignedOut(browser);
  }
});

it("a sign-in ends the session that the browser had, and nobody else's", async () => {
  const browser = await service.signIn();
  const other = await service.signIn();
  const before = browser.cookies.get("stowage");
  await service.signIn(browser);
  assert.notEqual(browser.cookies.get("stowage"), before);
  assert.equal((await other.session()).status, 200);
  browser.cookies.set("stowage", before ?? "");
  assert.equal((await browser.session()).reason, "SESSION_ENDED");
});

it("a person has a limited number of sessions: the oldest end", async () => {
  await using small = await startTestService({ PERSON_SESSIONS_MAX: "2" });
  const browsers = [await small.signIn(), await small.signIn(), await small.signIn()];
  const statuses = await Promise.all(browsers.map(async (each) => (await each.session()).status));
  assert.deepEqual(statuses, [401, 200, 200]);
});

it("while the issuer is away, a sign-in says so, and signing out works", async () => {
  await using alone = await startTestService();
  const browser = await alone.signIn();
  const unfinished = alone.issuer.authorize(await begin(browser));
  await alone.issuer.pause();
  const finished = await browser.open(unfinished);
  assert.equal(finished.status, 503);
  assert.match(finished.headers["content-type"] ?? "", /text\/html/);
  const headers = { "sec-fetch-site": "same-origin" };
  const out = await browser.send("/sign-out", { method: "POST", headers });
  assert.equal(out.status, 200);
  await assertSignedOut(browser);
  await alone.issuer.resume();
  assert.equal((await browser.open(unfinished)).status, 303, "the same code works later");
});
