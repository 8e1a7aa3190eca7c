import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { inTransaction } from "@stowage/process";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import { subjectOf } from "../model/subjects.ts";
import type { Account } from "../store/accounts.ts";
import { endAccess } from "../store/end-access.ts";
import { listSessions } from "../store/list-sessions.ts";
import { type ActingClient, insecure, startSignInService } from "../testing/code-flow.ts";
import { addDeviceClient, allowDevice, poll, startDevice, submitForm } from "../testing/device.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import type { TestService } from "../testing/test-service.ts";

let service: TestService;
let server: oauth.AuthorizationServer;
let acting: ActingClient;
let person: Account;
before(async () => {
  ({ service, server, person } = await startSignInService());
  acting = await addDeviceClient(service.pool);
});
after(() => service[Symbol.asyncDispose]());

const enter = async (browser: TestBrowser, userCode: string) =>
  submitForm(browser, await browser.open(`${service.authUrl}/device`), { user_code: userCode });

async function endSessions(): Promise<void> {
  const subject = subjectOf(person.accountId);
  const sessions = await listSessions(service.pool, { subject }, 10);
  for (const { sessionUid } of sessions) {
    await inTransaction(service.pool, (connection) => endAccess(connection, { sessionUid }));
  }
}

describe("a device", () => {
  it("gets a code for itself, one for its user, and how often it may ask", async () => {
    const started = await startDevice(server, acting);
    assert.match(started.device_code, /^[\w-]{43}$/);
    assert.match(started.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    assert.equal(started.verification_uri, `${service.authUrl}/device`);
    assert.equal(started.expires_in, 600);
    assert.equal(started.interval, 5);
  });

  it("gets tokens for the person who has entered the code and allowed it", async () => {
    const started = await startDevice(server, acting);
    await assert.rejects(poll(server, acting, started.device_code), {
      error: "authorization_pending",
    });
    const last = await allowDevice(new TestBrowser(), started, person);
    assert.match(last.text, /<h1>You have signed in<\/h1>/);
    const tokens = await poll(server, acting, started.device_code);
    const claims = decodeJwt(tokens.access_token);
    assert.equal(claims.sub, `urn:svc:user:${person.accountId}`);
    assert.equal(claims.scope, "openid offline_access upl:bucket:read");
    assert.equal(claims["urn:svc:auth:organisation_id"], person.organisationId);
    assert.deepEqual(claims.aud, ["urn:svc:uploads"]);
    assert.ok(tokens.id_token);
    const refreshed = await oauth.refreshTokenGrantRequest(
      server,
      acting.client,
      acting.authentication,
      tokens.refresh_token ?? "",
      insecure,
    );
    assert.equal(refreshed.status, 200);
    await assert.rejects(poll(server, acting, started.device_code), { error: "invalid_grant" });
  });

  for (const [what, end, sid] of [
    ["of the session", async () => {}, "string"],
    ["without the session if that has ended meanwhile", endSessions, "undefined"],
  ] as const) {
    it(`gets tokens ${what}`, async () => {
      const started = await startDevice(server, acting);
      await allowDevice(new TestBrowser(), started, person);
      await end();
      const { access_token, id_token = "" } = await poll(server, acting, started.device_code);
      const types = [access_token, id_token].map((token) => typeof decodeJwt(token).sid);
      assert.deepEqual(types, [sid, sid]);
    });
  }

  it("gets tokens from another process than the one that gave the codes", async () => {
    const another = await service.startAnother({ authUrl: service.authUrl });
    try {
      const started = await startDevice(server, acting);
      await allowDevice(new TestBrowser(), started, person);
      const elsewhere = { ...server, token_endpoint: `http://127.0.0.1:${another.port}/token` };
      assert.ok((await poll(elsewhere, acting, started.device_code)).access_token);
    } finally {
      await another.stop();
    }
  });

  it("is told to slow down when it asks before the interval is over", async () => {
    const { device_code: code } = await startDevice(server, acting);
    await assert.rejects(poll(server, acting, code), { error: "authorization_pending" });
    await assert.rejects(poll(server, acting, code), { error: "slow_down", status: 400 });
  });

  it("is told when the person declines, on either page", async () => {
    const confirmed = await startDevice(server, acting);
    const browser = new TestBrowser();
    const confirm = await enter(browser, confirmed.user_code);
    const page = await submitForm(browser, confirm, { abort: "yes" });
    assert.match(page.text, /<h1>You have not allowed it<\/h1>/);
    await assert.rejects(poll(server, acting, confirmed.device_code), { error: "access_denied" });

    const signedIn = await startDevice(server, acting);
    const login = await submitForm(browser, await enter(browser, signedIn.user_code), {
      confirm: "yes",
    });
    const declined = await browser.submit(login, { act: "cancel" });
    assert.match(declined.text, /<h1>You have not allowed it<\/h1>/);
    await assert.rejects(poll(server, acting, signedIn.device_code), { error: "access_denied" });
  });

  it("is told when its code has expired", async () => {
    const { device_code: code, user_code: userCode } = await startDevice(server, acting);
    await service.pool.query(
      `update auth.provider_records
       set payload = (payload::jsonb || '{"exp": 1}')::json where user_code = $1`,
      [userCode.replace("-", "")],
    );
    await assert.rejects(poll(server, acting, code), { error: "expired_token" });
    const page = await enter(new TestBrowser(), userCode);
    assert.match(page.text, /This code is wrong, has expired, or was used already\./);
  });

  it("cannot use what the database contains in place of its code", async () => {
    const started = await startDevice(server, acting);
    await allowDevice(new TestBrowser(), started, person);
    const { rows } = await service.pool.query<{ hash: Buffer; text: string }>(
      `select id_hash as hash, payload::text as text from auth.provider_records
       where user_code = $1`,
      [started.user_code.replace("-", "")],
    );
    assert.ok(!rows[0]?.text.includes(started.device_code));
    const handle = `hash:${rows[0]?.hash.toString("base64url")}`;
    await assert.rejects(poll(server, acting, handle), { error: "invalid_grant" });
    assert.ok(await poll(server, acting, started.device_code));
  });

  it("cannot use the code of another client, nor ask without that grant", async () => {
    const other = await addDeviceClient(service.pool);
    const started = await startDevice(server, acting);
    await allowDevice(new TestBrowser(), started, person);
    await assert.rejects(poll(server, other, started.device_code), { error: "invalid_grant" });
    const page = await addDeviceClient(service.pool, {
      grantTypes: ["authorization_code"],
      redirectUris: ["https://page.example/callback"],
      isNative: false,
    });
    await assert.rejects(startDevice(server, page), { error: "invalid_request" });
    await assert.rejects(startDevice(server, acting, { scope: "no:such:scope" }), {
      error: "invalid_scope",
    });
  });
});

describe("the pages", () => {
  it("show the client, what it asks for, the code, and where the request came from", async () => {
    const { user_code: userCode } = await startDevice(server, acting);
    const confirm = await enter(new TestBrowser(), userCode.toLowerCase().replace("-", " "));
    assert.match(confirm.text, /<h1>Continue with The television\?<\/h1>/);
    assert.match(confirm.text, /<li>See the uploads and folders of your organisation<\/li>/);
    assert.ok(confirm.text.includes(`<p class="code">${userCode}</p>`));
    assert.match(confirm.text, /from the address 127\.0\.0\.1/);
  });

  it("take the code of an address that contains it, and ask all the same", async () => {
    const browser = new TestBrowser();
    const { verification_uri_complete: address = "", user_code: userCode } = await startDevice(
      server,
      acting,
    );
    const confirm = await browser.open(address);
    assert.match(confirm.text, /<h1>Continue with The television\?<\/h1>/);
    assert.ok(confirm.text.includes(`<p class="code">${userCode}</p>`));
  });

  it("let a person correct a mistyped code", async () => {
    const browser = new TestBrowser();
    const { user_code: userCode } = await startDevice(server, acting);
    const wrong = await enter(browser, "<b>\0");
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /role="alert"[\s\S]*This code is wrong, has expired, or was used/);
    assert.doesNotMatch(wrong.text, /<b>/);
    const confirm = await submitForm(browser, wrong, { user_code: userCode });
    assert.match(confirm.text, /<h1>Continue with /);
  });

  it("accept no form of another site, and no code twice", async () => {
    const { user_code: userCode } = await startDevice(server, acting);
    const browser = new TestBrowser();
    const entry = await browser.open(`${service.authUrl}/device`);
    const forged = await browser.submit(entry, { user_code: userCode, confirm: "yes", xsrf: "x" });
    assert.equal(forged.status, 400);
    assert.match(forged.text, /This page was too old\. Try again\./);
    const confirm = await enter(browser, userCode);
    await submitForm(browser, confirm, { confirm: "yes" });
    const resent = await submitForm(browser, confirm, { confirm: "yes" });
    assert.match(resent.text, /This code is wrong, has expired, or was used already/);
    const again = await enter(browser, userCode);
    assert.match(again.text, /This code is wrong, has expired, or was used already\./);
  });
});

it("wrong codes are limited for each session and each address", async () => {
  const limited = await service.startAnother({ addressUserCodesPerMinuteMax: 7 });
  try {
    const address = `${limited.authUrl}/device`;
    const statusesOf = async (browser: TestBrowser, tries: number) => {
      let page = await browser.open(address);
      const statuses: number[] = [];
      for (let number = 0; number < tries; number++) {
        page = await submitForm(browser, page, { user_code: "BBBB-BBBB" });
        statuses.push(page.status);
      }
      return statuses;
    };
    const browser = new TestBrowser();
    assert.deepEqual(await statusesOf(browser, 6), [400, 400, 400, 400, 400, 429]);
    // A new session does not help for long.
    assert.deepEqual(await statusesOf(new TestBrowser(), 2), [400, 429]);
    const refused = await submitForm(browser, await browser.open(address), { user_code: "B" });
    assert.match(refused.text, /There were too many wrong codes\. Try again in \d+ seconds\./);
    assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
  } finally {
    await limited.stop();
  }
});
