/** Links that sign a person in once. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { decodeJwt } from "jose";
import type { Account } from "../store/accounts.ts";
import { disable, enable } from "../store/disabling.ts";
import { pruneProviderRecords } from "../store/provider-records.ts";
import { addSignInLink } from "../store/sign-in-links.ts";
import {
  type ActingClient,
  addActingClient,
  addPerson,
  runCodeFlow,
} from "../testing/code-flow.ts";
import { sendExactly, TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

const site = "https://files.example/";
let service: TestService;
let person: Account;
let browser: TestBrowser;
before(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  person = await addPerson(service.pool);
  browser = new TestBrowser(sendExactly);
});
after(() => service[Symbol.asyncDispose]());

async function makeLink({ accountId } = person, returnTo = site): Promise<string> {
  const secret = await addSignInLink(service.pool, { accountId, returnTo });
  assert.ok(secret);
  return `${service.authUrl}/sign-in-link?key=${secret}`;
}

/** The headers of a person who enters an address. */
const entered = {
  "sec-fetch-site": "none",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
  "sec-fetch-user": "?1",
};
const enter = (link: string, by = browser) => by.open(link, { headers: entered });

async function shownAs(by = browser): Promise<string | undefined> {
  const { text } = await by.open(`${service.authUrl}/account`);
  return /You are signed in as ([^<]+)\./.exec(text)?.[1];
}

async function events(account = person): Promise<string[]> {
  const { rows } = await service.pool.query<{ kind: string; address: string }>(
    "select kind, address from auth.audit_events where subject = $1 order by occurred_at",
    [`urn:svc:user:${account.accountId}`],
  );
  assert.ok(rows.every(({ address }) => address === "127.0.0.1"));
  return rows.map(({ kind }) => kind);
}

it("a link that is not for this machine signs in by its button only", async () => {
  const authUrl = "https://login.example";
  const remote = await service.startAnother({ authUrl });
  const link = (await makeLink()).replace(service.authUrl, `http://127.0.0.1:${remote.port}`);
  // As a mail filter does with a browser of its own.
  const opened = await enter(link);
  assert.match(opened.text, /<button>Sign in as/);
  assert.deepEqual(await events(), []);
  assert.equal((await enter(link)).status, 200, "it is not used up");
  await remote.stop();
});

describe("a link that a person enters", () => {
  it("signs in at once, leads to its address, and is on record", async () => {
    const { url } = await enter(await makeLink());
    assert.equal(url, site);
    assert.equal(await shownAs(), person.loginName);
    assert.deepEqual(await events(), ["sign_in_link_used"]);
  });

  it("begins a session that clients use, and that says how it began", async () => {
    await enter(await makeLink());
    const acting: ActingClient = await addActingClient(service.pool);
    const known = { ...person, loginName: "nobody is asked" };
    const { tokens } = await runCodeFlow(service.authUrl, acting, known, { browser });
    assert.equal(decodeJwt(tokens.access_token).sub, `urn:svc:user:${person.accountId}`);
    const { rows } = await service.pool.query(
      `select payload->'amr' as amr, expires_at > now() + interval '1 day' as "isLong"
       from auth.provider_records where model = 'Session' and account_id = $1`,
      [`urn:svc:user:${person.accountId}`],
    );
    assert.deepEqual(rows, [{ amr: ["link"], isLong: true }]);
  });

  it("works once, also of several uses at the same time", async () => {
    const link = await makeLink();
    const browsers = Array.from({ length: 8 }, () => new TestBrowser(sendExactly));
    const visits = await Promise.all(browsers.map((each) => enter(link, each)));
    assert.deepEqual(visits.map(({ status }) => status).sort(), [0, ...Array(7).fill(400)]);
    const names = await Promise.all(browsers.map((each) => shownAs(each)));
    assert.equal(names.filter((name) => name !== undefined).length, 1);
    assert.deepEqual(await events(), ["sign_in_link_used"]);
  });

  it("says that it has been used, but leads on the person who used it", async () => {
    const link = await makeLink();
    await enter(link);
    assert.equal((await enter(link)).url, site);
    const elsewhere = await enter(link, new TestBrowser(sendExactly));
    assert.equal(elsewhere.status, 400);
    assert.match(elsewhere.text, /This link has been used.*stowage accounts sign-in-link/s);
    assert.ok(elsewhere.text.includes(`href="${site}"`));
    assert.deepEqual(await events(), ["sign_in_link_used"]);
  });

  it("keeps the session of the same person", async () => {
    await enter(await makeLink());
    const [cookie] = [...browser.cookies.values()].filter(({ name }) => name.endsWith("_session"));
    assert.equal((await enter(await makeLink())).url, site);
    assert.equal(browser.cookies.get(`${cookie?.name} /`)?.value, cookie?.value);
  });

  it("asks before it signs another person out", async () => {
    const other = await addPerson(service.pool);
    await enter(await makeLink(other));
    const page = await enter(await makeLink());
    assert.equal(page.status, 200);
    assert.ok(
      page.text.includes(`You are signed in as ${other.loginName}, and will be signed out`),
    );
    assert.equal(await shownAs(), other.loginName);
    assert.equal((await browser.submit(page, {})).url, site);
    assert.equal(await shownAs(), person.loginName);
    assert.deepEqual(await events(other), ["sign_in_link_used", "session_ended"]);
  });
});

describe("a page with a button, and an unused link, is what is left for", () => {
  const cases: [who: string, headers: Record<string, string>, method?: string][] = [
    ["a program without a browser", {}],
    ["a link on another site", { ...entered, "sec-fetch-site": "cross-site" }],
    ["a link on the page of a neighbour", { ...entered, "sec-fetch-site": "same-site" }],
    ["a link of the service itself", { ...entered, "sec-fetch-site": "same-origin" }],
    ["an image", { ...entered, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }],
    ["a frame", { ...entered, "sec-fetch-dest": "iframe" }],
    ["a page that loads in advance", { ...entered, "sec-purpose": "prefetch" }],
    ["a page that is drawn in advance", { ...entered, "sec-purpose": "prefetch;prerender" }],
    ["a check of the address", entered, "HEAD"],
  ];
  for (const [who, headers, method = "GET"] of cases) {
    it(who, async () => {
      const link = await makeLink();
      const page = await browser.open(link, { headers, method });
      assert.equal(page.status, 200);
      if (method === "GET") assert.ok(page.text.includes(`<h1>Sign in as ${person.loginName}`));
      assert.match(page.headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
      assert.equal(page.headers.get("cache-control"), "no-store");
      assert.equal(await shownAs(), undefined);
      assert.deepEqual(await events(), []);
      assert.equal((await browser.submit(page, {})).url, site);
      assert.equal(await shownAs(), person.loginName);
      assert.deepEqual(await events(), ["sign_in_link_used"]);
    });
  }

  it("but a form of another site does nothing", async () => {
    const link = await makeLink();
    for (const headers of [
      { origin: "https://attacker.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ]) {
      const init = { method: "POST", body: new URLSearchParams(), headers: { ...headers } };
      assert.equal((await browser.open(link, init)).status, 403, JSON.stringify(headers));
    }
    assert.equal(await shownAs(), undefined);
    assert.equal((await enter(link)).url, site);
  });
});

describe("a link does not work", () => {
  async function assertOver(link: string): Promise<void> {
    for (const page of [await enter(link), await browser.open(link)]) {
      assert.equal(page.status, 400);
      assert.match(page.text, /This link does not work.*stowage accounts sign-in-link/s);
      assert.ok(page.text.includes('href="/account"'));
    }
    assert.equal((await browser.submit(await browser.open(link), {})).status, 400);
    assert.equal(await shownAs(), undefined);
  }

  it("if nobody made it, or it is not complete", async () => {
    const address = `${service.authUrl}/sign-in-link`;
    const link = await makeLink();
    const wrong = [address, `${address}?key=${"a".repeat(43)}`, link.slice(0, -1), `${link}&key=x`];
    for (const each of wrong) await assertOver(each);
  });

  it("after 10 minutes, and is then removed", async () => {
    const link = await makeLink();
    const { rows } = await service.pool.query(
      `update auth.provider_records set expires_at = now() where model = 'SignInLink'
         and account_id = $1
       returning extract(epoch from (select max(expires_at) from auth.provider_records
         where model = 'SignInLink' and account_id = $1) - now())::float8 as seconds`,
      [`urn:svc:user:${person.accountId}`],
    );
    assert.ok(rows[0]?.seconds > 590 && rows[0]?.seconds <= 600, JSON.stringify(rows));
    await assertOver(link);
    await pruneProviderRecords(service.pool);
    const left = await service.pool.query(
      "select from auth.provider_records where model = 'SignInLink' and account_id = $1",
      [`urn:svc:user:${person.accountId}`],
    );
    assert.equal(left.rowCount, 0);
  });

  it("for an account that is disabled, also after it is enabled again", async () => {
    const link = await makeLink();
    await disable(service.pool, "account", person.loginName);
    const { accountId } = person;
    const another = await addSignInLink(service.pool, { accountId, returnTo: site });
    assert.equal(another, undefined);
    await assertOver(link);
    await enable(service.pool, "account", person.loginName);
    await assertOver(link);
  });

  it("while its organisation is disabled", async () => {
    const organisationId = "sign-in-links";
    const member = await addPerson(service.pool, { organisationId });
    await disable(service.pool, "organisation", organisationId);
    await assertOver(await makeLink(member));
  });

  it("after ten newer ones of the same account", async () => {
    const links = [await makeLink()];
    for (let made = 0; made < 10; made++) links.push(await makeLink());
    const [oldest = "", second = ""] = links;
    await assertOver(oldest);
    assert.equal((await enter(second)).url, site);
  });
});

it("the database has no secret of a link", async () => {
  const secret = new URL(await makeLink()).searchParams.get("key") ?? "";
  const { rows } = await service.pool.query(
    "select row_to_json(r) as row from auth.provider_records r where model = 'SignInLink'",
  );
  assert.ok(rows.length > 0 && !JSON.stringify(rows).includes(secret));
});
