import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "@stowage/process/testing";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

/** Makes the tokens of all sessions expire. */
async function expireTokens({ pool, issuer }: TestService): Promise<void> {
  await pool.query("update web.sessions set access_expires_at = now()");
  issuer.accessTokens.clear();
}

const statusesOf = (answers: readonly { status: number }[]) => answers.map(({ status }) => status);

/** The same browser at another process of the service. */
function at(origin: string, browser: TestBrowser): TestBrowser {
  const other = new TestBrowser(origin);
  for (const [name, value] of browser.cookies) other.cookies.set(name, value);
  return other;
}

/** Holds the answers of the token endpoint back until the test releases them. */
function hold({ issuer }: TestService): { asked: Promise<void>; release: () => void } {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  issuer.beforeTokens = () => {
    asked.resolve();
    return released.promise;
  };
  return { asked: asked.promise, release: released.resolve };
}

/** Resolves when a statement waits for the lock of a row. */
async function untilLocked({ pool }: TestService): Promise<void> {
  await until("a statement waits for a lock", async () => {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rowCount !== 0;
  });
}

describe("an expired token", () => {
  it("is refreshed once for all requests of two tabs and two servers", async () => {
    await using service = await startTestService();
    const browser = await service.signIn();
    const { origin } = await service.startAnother();
    const other = at(origin, browser);
    await expireTokens(service);
    const { release } = hold(service);
    const running = [browser, other, browser, other, browser, other].map((tab) => tab.call());
    await untilLocked(service);
    release();
    assert.deepEqual(statusesOf(await Promise.all(running)), [200, 200, 200, 200, 200, 200]);
    assert.equal(service.issuer.refreshes, 1);
    const tokens = new Set(service.uploads.asked.map(({ headers }) => headers.authorization));
    assert.equal(tokens.size, 1);
  });

  it("is refreshed before it expires on its way: in its last minute", async () => {
    await using service = await startTestService();
    const browser = await service.signIn();
    for (const [seconds, refreshes] of [
      [90, 0],
      [59, 1],
    ]) {
      await service.pool.query(
        "update web.sessions set access_expires_at = now() + make_interval(secs => $1)",
        [seconds],
      );
      assert.equal((await browser.call()).status, 200);
      assert.equal(service.issuer.refreshes, refreshes);
    }
  });

  it("is used for half of its lifetime if that is short", async () => {
    await using service = await startTestService();
    service.issuer.accessSeconds = 40;
    const browser = await service.signIn();
    for (const [seconds, refreshes] of [
      [21, 0],
      [19, 1],
    ]) {
      await service.pool.query(
        "update web.sessions set access_expires_at = now() + make_interval(secs => $1)",
        [seconds],
      );
      assert.equal((await browser.call()).status, 200);
      assert.equal(service.issuer.refreshes, refreshes);
    }
  });

  it("ends the session if the issuer refuses to refresh it", async () => {
    await using service = await startTestService();
    const browser = await service.signIn();
    await expireTokens(service);
    service.issuer.refreshTokens.clear();
    const answers = await Promise.all([browser.call(), browser.call(), browser.session()]);
    assert.deepEqual(statusesOf(answers), [401, 401, 401]);
    assert.deepEqual(new Set(answers.map(({ reason }) => reason)), new Set(["SESSION_ENDED"]));
    assert.ok(browser.cookies.has("stowage"), "no late answer removes a newer cookie");
    const { rowCount } = await service.pool.query("select from web.sessions");
    assert.equal(rowCount, 0);
  });

  const troubles = {
    "does not answer": (service: TestService) => service.issuer.pause(),
    "answers with 500": ({ issuer }: TestService) => fail(issuer, 500, "server_error"),
    "has too much to do": ({ issuer }: TestService) => fail(issuer, 429, "temporarily_unavailable"),
    "refuses our secret": ({ issuer }: TestService) => fail(issuer, 401, "invalid_client"),
  };
  for (const [what, begin] of Object.entries(troubles)) {
    it(`does not end the session if the issuer ${what}: 503, and later it goes on`, async () => {
      await using service = await startTestService();
      const browser = await service.signIn();
      await expireTokens(service);
      await begin(service);
      const { status, reason, headers } = await browser.call();
      assert.deepEqual([status, reason], [503, "ISSUER_UNAVAILABLE"]);
      assert.equal(headers["retry-after"], "1");
      service.issuer.failure = undefined;
      await service.issuer.resume();
      assert.equal((await browser.call()).status, 200);
    });
  }

  it("makes only the first wait if the issuer hangs: 503, and later it goes on", async () => {
    await using service = await startTestService();
    const browser = await service.signIn();
    const others = await Promise.all([service.signIn(), service.signIn()]);
    await expireTokens(service);
    let asked = 0;
    const released = Promise.withResolvers<void>();
    service.issuer.beforeTokens = () => {
      asked += 1;
      return released.promise;
    };
    const answers = [await browser.call()];
    answers.push(...(await Promise.all(others.map((other) => other.call()))));
    assert.deepEqual(statusesOf(answers), [503, 503, 503]);
    assert.deepEqual(new Set(answers.map(({ reason }) => reason)), new Set(["ISSUER_UNAVAILABLE"]));
    assert.equal(asked, 1);
    released.resolve();
    const [other = browser] = others;
    await until("the issuer is tried again", async () => (await other.call()).status === 200);
  });

  it("is used for its last seconds if the issuer does not answer", async () => {
    await using service = await startTestService();
    const browser = await service.signIn();
    await service.pool.query("update web.sessions set access_expires_at = now() + '30 s'");
    await service.issuer.pause();
    assert.equal((await browser.call()).status, 200);
  });

  it("of a session that is signed out meanwhile leaves nothing behind", async () => {
    await using service = await startTestService();
    const browser = await service.signIn();
    await expireTokens(service);
    const { asked, release } = hold(service);
    const call = browser.call();
    await asked;
    const headers = { "sec-fetch-site": "same-origin" };
    const out = at(service.origin, browser).send("/sign-out", { method: "POST", headers });
    await untilLocked(service);
    release();
    assert.deepEqual(statusesOf(await Promise.all([call, out])), [200, 200]);
    assert.deepEqual(service.issuer.revoked, [...service.issuer.refreshTokens]);
    assert.equal((await browser.call()).reason, "SESSION_ENDED");
  });
});

it("a sign-out that waits too long for a refresh is an outage, and can be repeated", async () => {
  await using service = await startTestService();
  const browser = await service.signIn();
  const headers = { "sec-fetch-site": "same-origin" };
  const client = await service.pool.connect();
  try {
    // As a refresh holds it until the issuer answers.
    await client.query("begin; select from web.sessions for update");
    const { status, reason } = await browser.send("/sign-out", { method: "POST", headers });
    assert.deepEqual([status, reason], [503, "DATABASE_UNAVAILABLE"]);
  } finally {
    await client.query("rollback");
    client.release();
  }
  assert.equal((await browser.send("/sign-out", { method: "POST", headers })).status, 200);
  assert.equal((await browser.session()).status, 401);
});

function fail(issuer: TestService["issuer"], status: number, error: string): void {
  issuer.failure = { status, body: { error } };
}

describe("a token that the uploads service refuses", () => {
  it("is replaced, and the call is made again", async () => {
    await using service = await startTestService();
    const browser = await service.signIn();
    service.issuer.accessTokens.clear();
    const answers = await Promise.all([browser.call(), browser.call(), browser.call()]);
    assert.deepEqual(statusesOf(answers), [200, 200, 200]);
    assert.equal(service.issuer.refreshes, 1);
  });

  it("ends the session if the account was revoked", async () => {
    await using service = await startTestService();
    const browser = await service.signIn();
    service.issuer.accessTokens.clear();
    service.issuer.refreshTokens.clear();
    const { status, reason } = await browser.call();
    assert.deepEqual([status, reason], [401, "SESSION_ENDED"]);
  });

  it("and that the issuer gives again is an outage of the issuer", async () => {
    await using service = await startTestService();
    const browser = await service.signIn();
    const [same] = service.issuer.accessTokens;
    service.issuer.accessTokens.clear();
    const body = { access_token: same, token_type: "Bearer", expires_in: 300 };
    service.issuer.failure = { status: 200, body };
    const { status, reason } = await browser.call();
    assert.deepEqual([status, reason], [503, "ISSUER_UNAVAILABLE"]);
  });

  it("although it is new is a fault of the servers: nobody signs in again and again", async () => {
    await using service = await startTestService();
    const browser = await service.signIn();
    Object.assign(service.issuer.accessTokens, { has: () => false });
    const { status, reason } = await browser.call();
    assert.deepEqual([status, reason], [503, "UPLOADS_UNAVAILABLE"]);
    assert.equal((await browser.session()).status, 200);
  });
});

describe("a key that encrypts tokens", () => {
  it("may follow another, which still decrypts", async () => {
    await using service = await startTestService();
    const browser = await service.signIn();
    const { encryptionKeyOf } = await import("@stowage/process");
    const { TokenVault } = await import("./token-vault.ts");
    const { keys } = await import("../testing/test-service.ts");
    const { rows } = await service.pool.query("select * from web.sessions");
    const sealed = { encryptionKeyId: rows[0].encryption_key_id, bytes: rows[0].sealed_tokens };
    const next = encryptionKeyOf(Buffer.alloc(32, 8));
    assert.ok(new TokenVault([next, ...keys]).open(rows[0].session_hash, sealed));
    assert.equal(new TokenVault([next]).open(rows[0].session_hash, sealed), undefined);
    assert.equal(new TokenVault(keys).open(Buffer.alloc(32), sealed), undefined, "of another row");
    assert.equal((await browser.session()).status, 200);
  });

  it("ends the sessions if it is lost", async () => {
    await using service = await startTestService();
    const browser = await service.signIn();
    await service.pool.query("update web.sessions set encryption_key_id = 'lost'");
    assert.equal((await browser.call()).reason, "SESSION_ENDED");
  });
});
