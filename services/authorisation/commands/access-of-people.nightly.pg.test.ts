/** The commands about what people have allowed and where they are signed in. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import type { Account } from "../store/accounts.ts";
import type { ListedConsent } from "../store/consents.ts";
import type { ListedGrant } from "../store/list-grants.ts";
import type { ListedSession } from "../store/list-sessions.ts";
import {
  type ActingClient,
  addActingClient,
  addPerson,
  authorizationRequest,
  callback,
  type Flow,
  insecure,
  runCodeFlow,
  signInAndAllow,
} from "../testing/code-flow.ts";
import { exchange } from "../testing/exchange-request.ts";
import { addOtherClient } from "../testing/other-clients.ts";
import { type Ended, runToEnd } from "../testing/run-program.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

const offline = { scope: "openid offline_access upl:bucket:read", prompt: "consent" };
let service: TestService;
let acting: ActingClient;
let person: Account;
let browser: TestBrowser;
before(async () => {
  service = await startTestService();
  acting = await addActingClient(service.pool);
});
beforeEach(async () => {
  person = await addPerson(service.pool);
  browser = new TestBrowser();
});
after(() => service[Symbol.asyncDispose]());

function run(program: string, ...commandLine: string[]): Promise<Ended> {
  const environment = { DATABASE_URL: service.databaseUrl };
  return runToEnd(`commands/${program}.ts`, commandLine, environment);
}

async function done(program: string, ...commandLine: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(program, ...commandLine);
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout;
}

async function list<T>(program: string): Promise<T[]> {
  return JSON.parse(await done(program, "list", "--login-name", person.loginName, "--json")) as T[];
}

const signIn = (changes = {}) => runCodeFlow(service.authUrl, acting, person, { browser, changes });

async function refresh(
  { server, tokens }: Flow,
  { client, authentication } = acting,
): Promise<oauth.TokenEndpointResponse | number> {
  const response = await oauth.refreshTokenGrantRequest(
    server,
    client,
    authentication,
    tokens.refresh_token ?? "",
    insecure,
  );
  if (response.status !== 200) return response.status;
  return await oauth.processRefreshTokenResponse(server, client, response);
}

/** What the client gets without asking the person: `code`, or an error. */
async function renew({ server }: Flow): Promise<string> {
  const silent = { prompt: "none" };
  const { url } = await browser.open(
    authorizationRequest(server, acting.client, "a".repeat(43), silent),
  );
  const { searchParams } = new URL(url);
  return searchParams.get("error") ?? (searchParams.has("code") ? "code" : url);
}

async function isDenied(token: string): Promise<boolean> {
  const { jti, sid = null, client_id: clientId, sub, iat } = decodeJwt(token);
  const { rowCount } = await service.pool.query(
    `select from denylist.entries
     where (kind = 'jti' and value = $1) or (kind = 'sid' and value = $2)
       or (kind = 'client' and value = $3 and subject = $4 and issued_before > $5)`,
    [jti, sid, clientId, sub, iat],
  );
  return rowCount !== 0;
}

const sidOf = ({ tokens }: Flow) => String(decodeJwt(tokens.access_token).sid);

describe("tokens revoke", () => {
  for (const [what, changes] of Object.entries({ "": {}, " with offline access": offline })) {
    it(`--sid ends the session for ever, its grants and refresh tokens${what}`, async () => {
      const flow = await signIn(changes);
      const text = await done("tokens", "revoke", "--sid", sidOf(flow));
      assert.match(text, /\nended the session and 1 grant\n$/);
      assert.deepEqual([await refresh(flow), await renew(flow)], [400, "login_required"]);
      assert.equal(await isDenied(flow.tokens.access_token), true);
      assert.deepEqual([await list("sessions"), await list("grants")], [[], []]);
    });
  }

  it("--sid ends offline access of a session that has ended before", async () => {
    const flow = await signIn(offline);
    const [session] = await list<ListedSession>("sessions");
    await done("accounts", "sign-out", person.loginName, "--session", `${session?.sessionUid}`);
    const refreshed = await refresh(flow);
    assert.ok(typeof refreshed === "object", "it outlives the session");
    await done("tokens", "revoke", "--sid", sidOf(flow));
    assert.equal(await refresh({ ...flow, tokens: refreshed }), 400);
    assert.equal(await isDenied(refreshed.access_token), true);
  });

  it("--sid ends the logins of native programs in the session, begun ones too", async () => {
    const flow = await signIn();
    const native = await addActingClient(service.pool, { isNative: true });
    const login = { browser, changes: offline };
    const program = await runCodeFlow(service.authUrl, native, person, login);
    const verifier = oauth.generateRandomCodeVerifier();
    const challenge = await oauth.calculatePKCECodeChallenge(verifier);
    const begun = authorizationRequest(flow.server, native.client, challenge, offline);
    const { url } = await signInAndAllow(browser, begun, person);
    const text = await done("tokens", "revoke", "--sid", sidOf(flow));
    assert.match(text, /\nended the session and \d grants\n$/);
    assert.equal(await refresh(program, native), 400);
    const { status } = await oauth.authorizationCodeGrantRequest(
      flow.server,
      native.client,
      native.authentication,
      oauth.validateAuthResponse(flow.server, native.client, new URL(url), "the state"),
      callback,
      verifier,
      insecure,
    );
    assert.equal(status, 400);
    assert.deepEqual([await list("sessions"), await list("grants")], [[], []]);
  });

  it("--sid ends nothing else: a text that sessions contain is no session ID", async () => {
    const flow = await signIn();
    await done("tokens", "revoke", "--sid", "pwd");
    assert.equal(typeof (await refresh(flow)), "object");
    assert.equal((await list("sessions")).length, 1);
  });
});

describe("sessions", () => {
  it("are listed, and end as if the person had signed out", async () => {
    const flow = await signIn();
    const [session, ...others] = await list<ListedSession>("sessions");
    assert.deepEqual(others, []);
    assert.deepEqual(session?.clients, [
      { clientId: acting.client.client_id, name: "The page", sid: sidOf(flow) },
    ]);
    assert.equal(session.loginName, person.loginName);
    const { sessionUid } = session;
    const signOut = ["sign-out", person.loginName, "--session", sessionUid];
    assert.equal(await done("accounts", ...signOut), `signed out ${person.loginName}\n`);
    assert.deepEqual([await refresh(flow), await renew(flow)], [400, "login_required"]);
    assert.equal(await isDenied(flow.tokens.access_token), true);
    const { code, stderr } = await run("accounts", ...signOut);
    assert.deepEqual([code, /there is no such session/.test(stderr)], [1, true]);
  });
});

describe("grants", () => {
  it("are listed, and revoked with all their tokens", async () => {
    const flow = await signIn(offline);
    const [grant, ...others] = await list<ListedGrant>("grants");
    assert.deepEqual(others, []);
    const { grantId = "", clientId, scopes, isOffline } = grant ?? {};
    assert.deepEqual([clientId, isOffline], [acting.client.client_id, true]);
    assert.deepEqual(scopes, ["openid", "offline_access", "upl:bucket:read"]);
    await done("tokens", "revoke", "--grant", grantId);
    assert.equal(await refresh(flow), 400);
    assert.equal(await isDenied(flow.tokens.access_token), true);
    const { code, stderr } = await run("tokens", "revoke", "--grant", grantId);
    assert.deepEqual([code, /there is no such grant/.test(stderr)], [1, true]);
    assert.equal(await renew(flow), "code", "the person is still signed in and consents");
  });
});

describe("consents", () => {
  it("are listed, and withdrawn together with grants and tokens", async () => {
    const flow = await signIn();
    const consents = await list<ListedConsent>("consents");
    assert.deepEqual(
      consents.map(({ resource, scopes }) => [resource, ...scopes]),
      [
        ["", "openid"],
        ["urn:svc:uploads", "upl:bucket:read"],
      ],
    );
    const other = await addOtherClient(service.pool);
    const { access_token } = flow.tokens;
    const { access_token: exchanged } = await exchange(service.authUrl, other, access_token);
    const clientId = acting.client.client_id;
    const withdraw = ["revoke", "--client", clientId, "--login-name", person.loginName];
    await done("tokens", ...withdraw);
    assert.deepEqual([await refresh(flow), await renew(flow)], [400, "consent_required"]);
    assert.deepEqual([await isDenied(access_token), await isDenied(exchanged)], [true, true]);
    const { code, stderr } = await run("tokens", ...withdraw);
    assert.deepEqual([code, /there are none, and no grant/.test(stderr)], [1, true]);
  });

  it("of a disabled account are withdrawn too", async () => {
    await signIn();
    await done("accounts", "disable", person.loginName);
    const clientId = acting.client.client_id;
    await done("tokens", "revoke", "--client", clientId, "--login-name", person.loginName);
    assert.deepEqual(await list("consents"), []);
  });
});
