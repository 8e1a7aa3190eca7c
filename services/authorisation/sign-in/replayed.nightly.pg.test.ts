import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import type { Account } from "../store/accounts.ts";
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
  startSignInService,
} from "../testing/code-flow.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

let service: TestService;
let acting: ActingClient;
let person: Account;
before(async () => {
  const settings = { refreshTokenGraceS: 0 };
  ({ service, acting, person } = await startSignInService({ service: settings }));
});
after(() => service[Symbol.asyncDispose]());

const run = (changes = {}) => runCodeFlow(service.authUrl, acting, person, { changes });

/** Asks the token endpoint, as the client unless told otherwise. */
async function post({ server }: Flow, form: Record<string, string>): Promise<Outcome> {
  const response = await fetch(server.token_endpoint ?? "", {
    method: "POST",
    body: new URLSearchParams({ client_id: acting.client.client_id, ...form }),
  });
  return { ...((await response.json()) as object), status: response.status };
}

/** What the token endpoint answers. */
interface Outcome {
  status: number;
  error?: string;
  access_token?: string;
  refresh_token?: string;
}

function exchange(flow: Flow, changes: Record<string, string> = {}) {
  return post(flow, {
    grant_type: "authorization_code",
    code: flow.code.get("code") ?? "",
    redirect_uri: callback,
    code_verifier: flow.verifier,
    ...changes,
  });
}

function refresh(flow: Flow, refresh_token = flow.tokens.refresh_token ?? "", changes = {}) {
  return post(flow, { grant_type: "refresh_token", refresh_token, ...changes });
}

async function denied(): Promise<string[]> {
  const { rows } = await service.pool.query<{ value: string }>(
    "select value from denylist.entries where kind = 'jti'",
  );
  return rows.map(({ value }) => value);
}

const tokenIdOf = (token: string | undefined) => String(decodeJwt(token ?? "").jti);

describe("a code", () => {
  it("that is used again is refused, and revokes its tokens", async () => {
    const flow = await run();
    const { access_token } = await refresh(flow);
    const again = await exchange(flow);
    assert.deepEqual([again.status, again.error], [400, "invalid_grant"]);
    const taken = await denied();
    assert.ok(taken.includes(tokenIdOf(flow.tokens.access_token)));
    assert.ok(taken.includes(tokenIdOf(access_token)));
    assert.equal((await refresh(flow)).error, "invalid_grant");
  });

  it("of a client without refresh tokens revokes its token too if it is used again", async () => {
    const simple = await addActingClient(service.pool, { grantTypes: ["authorization_code"] });
    const flow = await runCodeFlow(service.authUrl, simple, person);
    assert.equal(flow.tokens.refresh_token, undefined);
    const again = await exchange(flow, { client_id: simple.client.client_id });
    assert.deepEqual([again.status, again.error], [400, "invalid_grant"]);
    assert.ok((await denied()).includes(tokenIdOf(flow.tokens.access_token)));
  });

  it("that is used many times at once is exchanged at most once", async () => {
    const flow = await runUntilCode();
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => exchange(flow)));
    const got = outcomes.filter(({ status }) => status === 200);
    assert.ok(got.length <= 1);
    const taken = await denied();
    for (const { access_token, refresh_token } of got) {
      assert.ok(taken.includes(tokenIdOf(access_token)));
      assert.equal((await refresh(flow, refresh_token)).error, "invalid_grant");
    }
  });

  const wrongs: [string, Record<string, string>, string][] = [
    ["with another verifier", { code_verifier: "a".repeat(43) }, "invalid_grant"],
    ["without a verifier", { code_verifier: "" }, "invalid_grant"],
    ["for another address", { redirect_uri: `${callback}/` }, "invalid_grant"],
    ["for an address elsewhere", { redirect_uri: "https://x.example" }, "invalid_grant"],
    ["that was made up", { code: "a".repeat(43) }, "invalid_grant"],
    ["for another resource", { resource: "https://other.example/api" }, "invalid_target"],
  ];
  for (const [what, changes, error] of wrongs) {
    it(`${what} is refused`, async () => {
      const flow = await runUntilCode();
      const outcome = await exchange(flow, changes);
      assert.deepEqual([outcome.status, outcome.error], [400, error]);
    });
  }

  it("of another client is refused, and stays valid for its own", async () => {
    const other = await addActingClient(service.pool);
    const flow = await runUntilCode();
    const stolen = await exchange(flow, { client_id: other.client.client_id });
    assert.deepEqual([stolen.status, stolen.error], [400, "invalid_grant"]);
    assert.equal((await exchange(flow)).status, 200);
  });

  it("is valid for a minute", async () => {
    const flow = await runUntilCode();
    await service.pool.query(
      `update auth.provider_records set payload = (payload::jsonb ||
         jsonb_build_object('exp', extract(epoch from now())::bigint - 1))::json
       where model = 'AuthorizationCode'`,
    );
    assert.equal((await exchange(flow)).error, "invalid_grant");
  });

  /** The flow up to its code, which is not exchanged yet. */
  async function runUntilCode(): Promise<Flow> {
    const shown = await run();
    const verifier = oauth.generateRandomCodeVerifier();
    const challenge = await oauth.calculatePKCECodeChallenge(verifier);
    const request = authorizationRequest(shown.server, acting.client, challenge);
    const { url } = await signInAndAllow(new TestBrowser(), request, person);
    return { ...shown, verifier, code: new URL(url).searchParams };
  }
});

describe("a refresh token", () => {
  it("is replaced when it is used, and the new one works", async () => {
    const flow = await run();
    const second = await refresh(flow);
    assert.equal(second.status, 200);
    assert.notEqual(second.refresh_token, flow.tokens.refresh_token);
    const claims = decodeJwt(second.access_token ?? "");
    const before = decodeJwt(flow.tokens.access_token);
    for (const claim of ["sub", "sid", "scope", "client_id", "azp", "iss"]) {
      assert.deepEqual(claims[claim], before[claim], claim);
    }
    assert.notEqual(claims.jti, before.jti);
    assert.equal((await refresh(flow, second.refresh_token)).status, 200);
  });

  it("that is used again ends everything that rests on the sign-in", async () => {
    const flow = await run();
    const second = await refresh(flow);
    const replayed = await refresh(flow);
    assert.deepEqual([replayed.status, replayed.error], [400, "invalid_grant"]);
    assert.equal((await refresh(flow, second.refresh_token)).error, "invalid_grant");
    const taken = await denied();
    assert.ok(taken.includes(tokenIdOf(flow.tokens.access_token)));
    assert.ok(taken.includes(tokenIdOf(second.access_token)));
  });

  it("that many use at once works for one of them at most, and then for none", async () => {
    const flow = await run();
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => refresh(flow)));
    const got = outcomes.filter(({ status }) => status === 200);
    assert.ok(got.length <= 1);
    for (const { status, error } of outcomes) {
      if (status !== 200) assert.deepEqual([status, error], [400, "invalid_grant"]);
    }
    for (const { refresh_token } of got) {
      assert.equal((await refresh(flow, refresh_token)).error, "invalid_grant");
    }
    const issued = [flow.tokens, ...got].map((tokens) => tokenIdOf(String(tokens.access_token)));
    const taken = await denied();
    for (const tokenId of issued) assert.ok(taken.includes(tokenId));
  });

  it("can give a token with fewer scopes, and never more; the next one has all again", async () => {
    const scope = "openid upl:bucket:read upl:bucket:write";
    const flow = await run({ scope });
    const more = await refresh(flow, undefined, { scope: `${scope} profile` });
    assert.deepEqual([more.status, more.error], [400, "invalid_scope"]);
    const less = await refresh(flow, undefined, { scope: "upl:bucket:read" });
    assert.equal(decodeJwt(less.access_token ?? "").scope, "upl:bucket:read");
    const all = await refresh(flow, less.refresh_token);
    assert.equal(decodeJwt(all.access_token ?? "").scope, scope);
  });

  it("of another client is refused", async () => {
    const other = await addActingClient(service.pool);
    const flow = await run();
    const stolen = await refresh(flow, undefined, { client_id: other.client.client_id });
    assert.deepEqual([stolen.status, stolen.error], [400, "invalid_grant"]);
  });

  it("of an account that was removed is refused", async () => {
    const leaver = await addPerson(service.pool);
    const flow = await runCodeFlow(service.authUrl, acting, leaver);
    await service.pool.query("delete from auth.accounts where account_id = $1", [leaver.accountId]);
    assert.equal((await refresh(flow)).error, "invalid_grant");
  });

  it("lasts longer than the session only if the person has allowed that", async () => {
    const flows = [await run(), await run({ scope: "openid offline_access", prompt: "consent" })];
    await service.pool.query("delete from auth.provider_records where model = 'Session'");
    const outcomes = [];
    for (const flow of flows) outcomes.push((await refresh(flow)).status);
    assert.deepEqual(outcomes, [400, 200]);
    const unasked = await run({ scope: "openid offline_access" });
    assert.equal(unasked.tokens.scope, "openid", "only with prompt=consent");
  });

  it("that is revoked revokes its access tokens; another client's stays valid", async () => {
    const flow = await run();
    const token = flow.tokens.refresh_token ?? "";
    const other = await addActingClient(service.pool);
    for (const { client } of [other, acting]) {
      const outcome = await oauth.revocationRequest(
        flow.server,
        client,
        oauth.None(),
        token,
        insecure,
      );
      assert.equal(await oauth.processRevocationResponse(outcome), undefined);
      const isDenied = (await denied()).includes(tokenIdOf(flow.tokens.access_token));
      assert.equal(isDenied, client === acting.client);
    }
    assert.equal((await refresh(flow)).error, "invalid_grant");
  });

  it("that is used too often is refused for a while, and not lost", async () => {
    await using limited = await startTestService({ clientRequestsPerMinuteMax: 1 });
    const client = await addActingClient(limited.pool);
    const flow = await runCodeFlow(limited.authUrl, client, await addPerson(limited.pool));
    const ask = (token = "") =>
      oauth.refreshTokenGrantRequest(flow.server, client.client, oauth.None(), token, insecure);
    const next = (await (await ask(flow.tokens.refresh_token)).json()) as Outcome;
    const refused = await ask(next.refresh_token);
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    const { rows } = await limited.pool.query(
      `select from auth.provider_records where model = 'RefreshToken' and consumed_at is null`,
    );
    assert.equal(rows.length, 1);
  });
});
