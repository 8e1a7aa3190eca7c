import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import { removeProviderGroup, setProviderGroup } from "../store/provider-groups.ts";
import {
  type ActingClient,
  addActingClient,
  addPerson,
  authorizationRequest,
  callback,
  discover,
  insecure,
} from "../testing/code-flow.ts";
import { signInThrough, startTwoProviders } from "../testing/other-provider.ts";
import { TestBrowser } from "../testing/test-browser.ts";

const bucket = "3f0c8c1e-6d3b-4c8e-9d54-0a4b5f2f9a11";
const read = { type: "bucket", identifier: bucket, actions: ["read"] };

const people = {
  ada: { groups: ["staff", "unknown"], name: "Ada", preferred_username: "Ada@Example.com" },
};

let world: Awaited<ReturnType<typeof startTwoProviders>>;
let acting: ActingClient;
before(async () => {
  world = await startTwoProviders(people, [{}]);
  acting = await addActingClient(world.service.pool, { isFirstParty: true });
});
after(() => world[Symbol.asyncDispose]());

/** Signs in at the provider with an empty browser, and gets tokens. */
async function signIn(accountId: string, changes: Record<string, string> = {}) {
  const { service, other } = world;
  other.accountId = accountId;
  other.forget();
  const server = await discover(service.authUrl);
  const verifier = oauth.generateRandomCodeVerifier();
  const challenge = await oauth.calculatePKCECodeChallenge(verifier);
  const request = authorizationRequest(server, acting.client, challenge, changes);
  const browser = new TestBrowser();
  const page = await signInThrough(browser, other, request);
  if (!page.url.startsWith(callback)) return { page, browser };
  const code = oauth.validateAuthResponse(server, acting.client, new URL(page.url), "the state");
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    acting.client,
    acting.authentication,
    code,
    callback,
    verifier,
    insecure,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, acting.client, response, {
    expectedNonce: "the nonce",
  });
  return { page, browser, tokens, claims: decodeJwt(tokens.access_token) };
}

/** What the page says, without its markup. */
const textOf = (page: { text: string }) =>
  (/<main>(.*)<\/main>/s.exec(page.text)?.[1] ?? "").replaceAll(/<[^>]*>/g, "").trim();

async function accounts() {
  const { rows } = await world.service.pool.query<Record<string, unknown>>(
    `select login_name, name, email, organisation_id, password_hash, authorization_details
     from auth.accounts order by login_name`,
  );
  return rows;
}

it("a person gets an account at the first sign-in, and keeps it", async () => {
  const first = await signIn("ada");
  assert.match(String(first.claims?.sub), /^urn:svc:user:[0-9a-f-]{36}$/);
  assert.equal(first.claims?.["urn:svc:auth:organisation_id"], "acme");
  assert.equal(first.claims?.authorization_details, undefined);
  assert.deepEqual(await accounts(), [
    {
      login_name: "ada@example.com",
      name: "Ada",
      email: null,
      organisation_id: "acme",
      password_hash: null,
      authorization_details: null,
    },
  ]);

  people.ada = { ...people.ada, preferred_username: "lovelace", name: "Ada L." };
  const second = await signIn("ada");
  assert.equal(second.claims?.sub, first.claims?.sub);
  assert.deepEqual(
    (await accounts()).map((account) => [account.login_name, account.name]),
    [["ada@example.com", "Ada L."]],
  );
  assert.equal(decodeJwt(String(second.tokens?.id_token)).acr, undefined);
});

it("the same name and e-mail address are another account", async () => {
  const local = await addPerson(world.service.pool, {
    loginName: "grace@example.com",
    email: "grace@example.com",
  });
  const claims = { preferred_username: "grace@example.com", email: "grace@example.com" };
  Object.assign(people, { grace: { groups: "staff", ...claims } });
  const { claims: token } = await signIn("grace");
  assert.notEqual(token?.sub, `urn:svc:user:${local.accountId}`);
  const names = (await accounts()).map((account) => String(account.login_name));
  const others = names.filter((name) => name.startsWith("grace@example.com"));
  assert.equal(others.length, 2);
  assert.match(String(others[1]), /^grace@example\.com#[0-9a-f]{8}$/);
});

it("groups limit every token, and what is asked for beyond them is refused", async () => {
  const { pool } = world.service;
  const inPhotos = { ...read, locations: ["/photos"] };
  await setProviderGroup(pool, {
    groupName: "guests",
    organisationId: "acme",
    authorizationDetails: [inPhotos],
  });
  await setProviderGroup(pool, {
    groupName: "press",
    organisationId: "acme",
    authorizationDetails: [{ ...read, locations: ["/press"] }],
  });
  Object.assign(people, { bob: { groups: ["guests"] } });
  const { tokens, claims } = await signIn("bob");
  assert.deepEqual(claims?.authorization_details, [inPhotos]);
  assert.deepEqual(tokens?.authorization_details, [inPhotos]);
  const narrow = [{ ...read, locations: ["/photos/2024"] }];
  const narrowed = await signIn("bob", { authorization_details: JSON.stringify(narrow) });
  assert.deepEqual(narrowed.claims?.authorization_details, narrow);
  await assert.rejects(
    signIn("bob", { authorization_details: JSON.stringify([read]) }),
    (error: { cause?: { error?: string } }) =>
      error.cause?.error === "invalid_authorization_details",
  );

  // A group is added: it holds from the next sign-in, for the tokens of earlier ones too.
  Object.assign(people, { bob: { groups: ["guests", "press"] } });
  const refresh = async () => {
    const server = await discover(world.service.authUrl);
    const { client, authentication } = acting;
    const answer = await oauth.refreshTokenGrantRequest(
      server,
      client,
      authentication,
      String(tokens?.refresh_token),
      insecure,
    );
    return (await answer.json()) as { access_token: string; error?: string };
  };
  const limits = async () => decodeJwt((await refresh()).access_token).authorization_details;
  assert.deepEqual(await limits(), [inPhotos]);
  const wider = [{ ...read, locations: ["/photos", "/press"] }];
  assert.deepEqual((await signIn("bob")).claims?.authorization_details, wider);
  assert.deepEqual(await limits(), wider);

  // The last group is removed: nothing is left at the next sign-in.
  Object.assign(people, { bob: { groups: [] } });
  const refused = await signIn("bob");
  assert.equal(refused.page.status, 403);
  assert.match(textOf(refused.page), /^You have no access\s.*signed in at Acme/s);
  assert.match(textOf(refused.page), /None of your groups has access to this service/);
  assert.equal((await refresh()).error, "invalid_grant");
});

it("groups of two organisations, and a client of another one, are refused", async () => {
  const { pool } = world.service;
  const group = { organisationId: "globex", authorizationDetails: null };
  await setProviderGroup(pool, { ...group, groupName: "globex" });
  Object.assign(people, { eve: { groups: ["globex", "staff"] }, mallory: { groups: ["globex"] } });
  const both = await signIn("eve");
  assert.equal(both.page.status, 403);
  assert.match(textOf(both.page), /belong to several organisations/);
  const other = await signIn("mallory");
  assert.equal(other.page.status, 403);
  assert.match(textOf(other.page), /The page is for people of another organisation/);
  await removeProviderGroup(pool, "globex");
});

it("a disabled account stays out, and the log has why", async () => {
  const { pool } = world.service;
  Object.assign(people, { tom: { groups: ["staff"], preferred_username: "tom" } });
  await signIn("tom");
  await pool.query("update auth.accounts set disabled_at = now() where login_name = 'tom'");
  const { page } = await signIn("tom");
  assert.equal(page.status, 403);
  assert.match(textOf(page), /Your account is disabled/);
  const { rows } = await pool.query<{ kind: string; details: Record<string, unknown> }>(
    `select kind, details from auth.audit_events
     where kind in ('provider_sign_in', 'sign_in_failed') order by occurred_at desc limit 2`,
  );
  const [failed, accepted] = rows;
  assert.equal(failed?.details.providerSubject, "tom");
  assert.deepEqual(accepted?.details, { organisationId: "acme", groups: ["staff"] });
});

it("sessions and refresh tokens end eight hours after the sign-in", async () => {
  await signIn("ada", { scope: "openid offline_access upl:bucket:read", prompt: "consent" });
  const { rows } = await world.service.pool.query<{ model: string; hours: number }>(
    `select model, extract(epoch from expires_at - now())::float8 / 3600 as hours
     from auth.provider_records
     where model in ('Session', 'RefreshToken') and account_id = (
       select 'urn:svc:user:' || account_id from auth.accounts where provider_subject = 'ada')`,
  );
  assert.deepEqual(new Set(rows.map(({ model }) => model)), new Set(["Session", "RefreshToken"]));
  for (const { hours } of rows) assert.ok(hours > 7.9 && hours <= 8, `${hours}`);
});

it("the page of the account needs no password either", async () => {
  const { service, other } = world;
  other.accountId = "ada";
  const browser = new TestBrowser();
  const page = await signInThrough(browser, other, `${service.authUrl}/account`);
  assert.match(textOf(page), /You are signed in as ada@example\.com/);
  assert.doesNotMatch(page.text, /new_password/);
});
