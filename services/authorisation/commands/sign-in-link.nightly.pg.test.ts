import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { disable } from "../store/disabling.ts";
import { addActingClient, addPerson } from "../testing/code-flow.ts";
import { runToEnd } from "../testing/run-program.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

let service: TestService;
before(async () => {
  service = await startTestService();
  const confidential = { secret: "a secret of the page" };
  await addActingClient(service.pool, { ...confidential, redirectUris: redirectUris.page });
  await addActingClient(service.pool, { isNative: true, redirectUris: redirectUris.native });
  await addActingClient(service.pool, {
    organisationId: "globex",
    redirectUris: redirectUris.ofOthers,
  });
  await addActingClient(service.pool, {
    organisationId: "globex",
    isForAnyOrganisation: true,
    redirectUris: redirectUris.ofAll,
  });
});
after(() => service[Symbol.asyncDispose]());

const redirectUris = {
  page: ["http://127.0.0.1:8082/signed-in", "com.example.app:/callback"],
  native: ["http://127.0.0.1/callback"],
  ofOthers: ["https://globex.example/callback"],
  ofAll: ["https://all.example/callback"],
};

function make(loginName: string, ...options: string[]) {
  return runToEnd("commands/accounts.ts", ["sign-in-link", "--login-name", loginName, ...options], {
    DATABASE_URL: service.databaseUrl,
    AUTH_URL: service.authUrl,
  });
}

it("makes a link that signs in and leads to the site of a client", async () => {
  const { loginName, accountId } = await addPerson(service.pool);
  const view = "http://127.0.0.1:8082/b/photos?q=a b#top";
  const made = await make(loginName.toUpperCase(), "--return", view, "--json");
  assert.equal(made.code, 0, made.stderr);
  const { link = "", expiresAt = "", ...rest } = JSON.parse(made.stdout) as Record<string, string>;
  const returnTo = "http://127.0.0.1:8082/b/photos?q=a%20b#top";
  assert.deepEqual(rest, { accountId, loginName, returnTo });
  const seconds = (Date.parse(expiresAt) - Date.now()) / 1000;
  assert.ok(seconds > 500 && seconds <= 600, expiresAt);

  const browser = new TestBrowser();
  const page = await browser.open(link);
  assert.equal((await browser.submit(page, {})).url, returnTo);
  const { rows } = await service.pool.query<{ kind: string; text: string }>(
    "select kind, row_to_json(e)::text as text from auth.audit_events e order by occurred_at",
  );
  assert.deepEqual(
    rows.map(({ kind }) => kind),
    ["operator_command", "sign_in_link_made", "sign_in_link_used"],
  );
  const secret = new URL(link).searchParams.get("key") ?? "";
  assert.ok(rows.every(({ text }) => !text.includes(secret)));
  assert.match(rows[1]?.text ?? "", new RegExp(`urn:svc:user:${accountId}.*127.0.0.1:8082`));
});

it("leads to the page of the account by default, and to clients for everybody", async () => {
  const { loginName } = await addPerson(service.pool);
  const { code, stdout } = await make(loginName);
  assert.equal(code, 0);
  assert.match(
    stdout,
    new RegExp(`^signs in +${loginName}\nleads to +${service.authUrl}/account$`, "m"),
  );
  assert.match(stdout, new RegExp(`^link +${service.authUrl}/sign-in-link\\?key=[\\w-]{43}$`, "m"));
  assert.equal((await make(loginName, "--return", "https://all.example/")).code, 0);
});

it("refuses addresses of other sites", async () => {
  const { loginName } = await addPerson(service.pool);
  const others = [
    "https://globex.example/",
    "https://127.0.0.1:8082/",
    "http://127.0.0.1/callback",
    "http://127.0.0.1.example:8082/",
  ];
  for (const address of others) {
    const { code, stdout, stderr } = await make(loginName, "--return", address);
    assert.deepEqual([code, stdout], [1, ""], address);
    assert.match(
      stderr,
      /^stowage: Cannot make a link for .* need the site of a redirect URI of a client of the/,
    );
    assert.ok(stderr.includes('"acme" (http://127.0.0.1:8082, https://all.example)'), stderr);
  }
  for (const address of ["/", "javascript:alert(1)", "https://a:b@all.example/"]) {
    const { code, stderr } = await make(loginName, "--return", address);
    assert.equal(code, 2, address);
    assert.match(stderr, /Need an http or https address/);
  }
});

it("refuses accounts that do not exist or are disabled", async () => {
  const { loginName } = await addPerson(service.pool);
  await disable(service.pool, "account", loginName);
  for (const name of [loginName, "nobody"]) {
    const { code, stderr } = await make(name);
    assert.equal(code, 1);
    assert.match(stderr, /there is no such account, or it is disabled/);
  }
});
