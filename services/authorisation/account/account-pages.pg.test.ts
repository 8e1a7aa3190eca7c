/** The page on which people see their own sessions and consents, and change their password. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { decodeJwt } from "jose";
import type { Account } from "../store/accounts.ts";
import { listSessions } from "../store/list-sessions.ts";
import {
  type ActingClient,
  addActingClient,
  addPerson,
  runCodeFlow,
  testPassword,
} from "../testing/code-flow.ts";
import { TestBrowser, type Visited } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

const newPassword = "staple, horse and battery";
let service: TestService;
let acting: ActingClient;
let person: Account;
let browser: TestBrowser;
before(async () => {
  service = await startTestService({ accountLoginsPerMinuteMax: 3 });
  acting = await addActingClient(service.pool);
});
beforeEach(async () => {
  person = await addPerson(service.pool);
  browser = new TestBrowser();
});
after(() => service[Symbol.asyncDispose]());

const open = (by = browser) => by.open(`${service.authUrl}/account`);
const secretIn = ({ text }: Visited) => /name="secret" value="([^"]+)"/.exec(text)?.[1] ?? "";
const sessionsIn = ({ text }: Visited) =>
  [...text.matchAll(/name="session" value="([^"]+)"/g)].map(([, uid = ""]) => uid);

async function press(page: Visited, fields: Record<string, string>, by = browser) {
  return await by.submit(page, { secret: secretIn(page), ...fields });
}

async function signIn(by = browser, password = testPassword): Promise<Visited> {
  const fields = { act: "sign-in", login_name: person.loginName, password };
  return await press(await open(by), fields, by);
}

async function events(): Promise<string[]> {
  const { rows } = await service.pool.query<{ kind: string }>(
    `select kind from auth.audit_events where subject = $1 and kind <> 'consent_given'
     order by occurred_at`,
    [`urn:svc:user:${person.accountId}`],
  );
  return rows.map(({ kind }) => kind);
}

function isDenied(kind: string, value: unknown): Promise<boolean> {
  const text = "select from denylist.entries where kind = $1 and value = $2";
  return service.pool.query(text, [kind, value]).then(({ rowCount }) => rowCount === 1);
}

const change = { act: "change-password", new_password: newPassword, repeated: newPassword };

describe("who is not signed in", () => {
  it("signs in and comes back, and the page is neither cached nor framed", async () => {
    const login = await open();
    assert.match(login.text, /to continue to your account/);
    const page = await signIn();
    assert.equal(page.url, `${service.authUrl}/account`);
    assert.ok(page.text.includes(`You are signed in as ${person.loginName}.`));
    assert.match(page.text, /this browser/);
    assert.ok(!page.text.includes("<script"));
    assert.equal(page.headers.get("cache-control"), "no-store");
    assert.equal(page.headers.get("cross-origin-opener-policy"), "same-origin");
    assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'/);
  });

  it("stays so with a wrong password, or the form of another browser", async () => {
    const wrong = await signIn(browser, "wrong password");
    assert.deepEqual([wrong.status, /is wrong/.test(wrong.text)], [400, true]);
    const elsewhere = await open(new TestBrowser());
    const fields = { act: "sign-in", login_name: person.loginName, password: testPassword };
    assert.equal((await press(elsewhere, fields)).status, 403);
    assert.match((await open()).text, /to continue to your account/);
    assert.deepEqual(await events(), ["sign_in_failed"]);
  });

  it("need not sign in after a client's sign-in, and clients need not after this one", async () => {
    await runCodeFlow(service.authUrl, acting, person, { browser });
    assert.match((await open()).text, /You are signed in/);
    const another = new TestBrowser();
    await signIn(another);
    await runCodeFlow(service.authUrl, acting, { ...person, loginName: "" }, { browser: another });
    assert.equal(sessionsIn(await open()).length, 2);
  });
});

describe("sessions", () => {
  it("end by a button, with their tokens", async () => {
    const { tokens } = await runCodeFlow(service.authUrl, acting, person);
    const page = await signIn();
    assert.match(page.text, /Used by The page/);
    assert.equal(sessionsIn(page).length, 2);
    const others = await press(page, { act: "end-others" });
    assert.match(others.text, /All other sessions have ended/);
    assert.equal(sessionsIn(others).length, 1);
    assert.ok(await isDenied("sid", decodeJwt(tokens.access_token).sid));
    const [session = ""] = sessionsIn(others);
    const ended = await press(others, { act: "end-session", session });
    assert.match(ended.text, /to continue to your account/);
    assert.deepEqual(await events(), ["session_ended", "session_ended"]);
  });

  it("that do not exist have ended, also one with U+0000 in its name", async () => {
    let page = await signIn();
    for (const session of ["none", "no\0ne"]) {
      page = await press(page, { act: "end-session", session });
      assert.deepEqual([page.status, /The session has ended/.test(page.text)], [200, true]);
    }
    assert.deepEqual(await events(), []);
  });

  it("are shown after a request to sign out with U+0000 in its state", async () => {
    await signIn();
    await browser.open(`${service.authUrl}/session/end?state=a%00b`);
    const page = await open();
    assert.deepEqual([page.status, sessionsIn(page).length], [200, 1]);
    const all = await listSessions(service.pool, {}, 1);
    assert.equal(all.length, 1);
  });

  it("of other people cannot be ended", async () => {
    const other = await addPerson(service.pool);
    const otherBrowser = new TestBrowser();
    await runCodeFlow(service.authUrl, acting, other, { browser: otherBrowser });
    const [session = ""] = sessionsIn(await open(otherBrowser));
    await press(await signIn(), { act: "end-session", session });
    assert.deepEqual(sessionsIn(await open(otherBrowser)), [session]);
    assert.deepEqual(await events(), []);
  });
});

it("consents are withdrawn, with the client's tokens, and asked for again", async () => {
  const { tokens } = await runCodeFlow(service.authUrl, acting, person, { browser });
  const page = await open();
  assert.match(page.text, /The page<\/b><br><span class="quiet">Since /);
  assert.match(page.text, /See the uploads and folders of your organisation/);
  const client = String(acting.client.client_id);
  const withdrawn = await press(page, { act: "withdraw", client });
  assert.match(withdrawn.text, /You have not allowed any program anything/);
  const { iat, sub } = decodeJwt(tokens.access_token);
  const text = `select from denylist.entries
    where kind = 'client' and value = $1 and subject = $2 and issued_before > $3`;
  const denied = await service.pool.query(text, [client, sub, iat]);
  assert.equal(denied.rowCount, 1);
  assert.deepEqual(await events(), ["consent_withdrawn"]);
  await press(withdrawn, { act: "withdraw", client });
  await press(withdrawn, { act: "withdraw", client: "none" });
  assert.deepEqual(await events(), ["consent_withdrawn"]);
});

describe("the password", () => {
  it("is changed, which ends the other sessions but not this one", async () => {
    const { tokens } = await runCodeFlow(service.authUrl, acting, person);
    const page = await press(await signIn(), { ...change, password: testPassword });
    assert.match(page.text, /Your password is changed/);
    assert.equal(sessionsIn(page).length, 1);
    assert.ok(await isDenied("sid", decodeJwt(tokens.access_token).sid));
    assert.deepEqual(await events(), ["password_changed"]);
    const another = new TestBrowser();
    assert.equal((await signIn(another)).status, 400);
    // Sign-ins in the second in which the password was changed have ended too.
    const changedAtMs = Date.now();
    let signedIn = await signIn(another, newPassword);
    while (/to continue to your account/.test(signedIn.text) && Date.now() < changedAtMs + 5000) {
      signedIn = await signIn(another, newPassword);
    }
    assert.match(signedIn.text, /You are signed in/);
  });

  it("stays if the old one is wrong, and the tries are limited and recorded", async () => {
    const page = await signIn();
    const answers = [1, 2, 3, 4].map(() => press(page, { ...change, password: "wrong" }));
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [400, 400, 400, 429]);
    assert.deepEqual(await events(), Array(3).fill("sign_in_failed"));
  });

  it("stays if the new one is too short, or differs when repeated", async () => {
    const page = await signIn();
    const short = { new_password: "short", repeated: "short" };
    for (const [fields, problem] of [
      [short, /it has 5 characters, need 12 to 256/],
      [{ repeated: "another password" }, /are not the same/],
    ] as const) {
      const answer = await press(page, { ...change, password: testPassword, ...fields });
      assert.equal(answer.status, 400);
      assert.match(answer.text, problem);
    }
    assert.deepEqual(await events(), []);
  });
});

it("names that no form of the page has are refused", async () => {
  const page = await signIn();
  for (const act of ["", "constructor", "__defineGetter__"]) {
    assert.equal((await press(page, { act })).status, 400, act);
  }
  const { text } = await browser.open(`${service.authUrl}/account?done=constructor`);
  assert.doesNotMatch(text, /native code/);
});

it("forms of other sites, and without the secret of the session, change nothing", async () => {
  const page = await signIn();
  const foreign = secretIn(await open(new TestBrowser()));
  for (const secret of ["", "x", foreign]) {
    assert.equal((await browser.submit(page, { secret, act: "end-others" })).status, 403);
  }
  const fields = { ...change, secret: secretIn(page), password: testPassword };
  for (const headers of [
    { origin: "https://attacker.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "content-type": "text/plain" },
  ]) {
    const init = { method: "POST", body: new URLSearchParams(fields), headers: { ...headers } };
    assert.equal((await browser.open(page.url, init)).status, 403, JSON.stringify(headers));
  }
  assert.deepEqual(await events(), []);
});
