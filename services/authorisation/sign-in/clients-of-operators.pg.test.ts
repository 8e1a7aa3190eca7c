/** First-party clients, and clients for any organisation. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { inTransaction } from "@stowage/process";
import { until } from "@stowage/process/testing";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import { updateClient } from "../store/clients.ts";
import { listAuthorisations } from "../store/list-authorisations.ts";
import {
  type ActingClient,
  addActingClient,
  addPerson,
  authorizationRequest,
  callback,
  discover,
  type Flow,
  insecure,
  runCodeFlow,
  testPassword,
} from "../testing/code-flow.ts";
import { openTestPool } from "../testing/signing-keys.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService, testAudiences } from "../testing/test-service.ts";

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

const organisationClaim = "urn:svc:auth:organisation_id";

it("a first-party client gets what it asks for, and more later, without a consent", async () => {
  const { pool, authUrl } = service;
  const { client } = await addActingClient(pool, { isFirstParty: true });
  const { loginName } = await addPerson(pool);
  const server = await discover(authUrl);
  const browser = new TestBrowser();
  const [resource = ""] = testAudiences;
  const details = [{ type: "bucket", actions: ["read"], locations: ["/a"] }];
  const requests = [
    { scope: "openid upl:bucket:read" },
    { scope: "openid profile upl:bucket:read upl:bucket:write", resource },
    { authorization_details: JSON.stringify(details) },
  ];
  const granted: unknown[] = [];
  for (const changes of requests) {
    const verifier = oauth.generateRandomCodeVerifier();
    const challenge = await oauth.calculatePKCECodeChallenge(verifier);
    let page = await browser.open(authorizationRequest(server, client, challenge, changes));
    if (granted.length === 0) {
      const fields = { login_name: loginName, password: testPassword, act: "sign-in" };
      page = await browser.submit(page, fields);
    }
    assert.ok(page.url.startsWith(callback), page.text);
    const code = new URL(page.url).searchParams.get("code") ?? "";
    const grant = { grant_type: "authorization_code", redirect_uri: callback };
    const form = { ...grant, code, code_verifier: verifier, client_id: client.client_id };
    const response = await fetch(`${authUrl}/token`, {
      method: "POST",
      body: new URLSearchParams(form),
    });
    const { access_token } = (await response.json()) as { access_token: string };
    const { scope, authorization_details } = decodeJwt(access_token);
    granted.push(authorization_details ?? scope);
  }
  assert.deepEqual(granted, [requests[0]?.scope, requests[1]?.scope, details]);
  const { rows } = await pool.query("select from auth.consents where client_id = $1", [
    client.client_id,
  ]);
  assert.equal(rows.length, 0);
});

it("a client for any organisation gets tokens for the organisation of the person", async () => {
  const { pool, authUrl } = service;
  const changes = { organisationId: "the vendor", isForAnyOrganisation: true };
  const [vendors, ordinary] = [await addActingClient(pool, changes), await addActingClient(pool)];
  for (const organisationId of ["acme", "the vendor"]) {
    const person = await addPerson(pool, { organisationId });
    const { tokens } = await runCodeFlow(authUrl, vendors, person);
    assert.equal(decodeJwt(tokens.access_token)[organisationClaim], organisationId);
    const subject = String(decodeJwt(tokens.access_token).sub);
    const { authorisations } = await listAuthorisations(pool, { subject }, { limit: 1 });
    const [audited] = authorisations;
    assert.equal(audited?.organisationId, organisationId);
    const vendor = organisationId === "the vendor" ? null : "the vendor";
    assert.equal(audited?.clientOrganisationId, vendor);
  }
  const stranger = await addPerson(pool, { organisationId: "globex" });
  await assert.rejects(runCodeFlow(authUrl, ordinary, stranger), /the password is wrong/);
});

/** What the client gets without asking the person: a code, or an error. */
async function renew(browser: TestBrowser, { server }: Flow, { client }: ActingClient) {
  const challenge = await oauth.calculatePKCECodeChallenge("a".repeat(43));
  const request = authorizationRequest(server, client, challenge, { prompt: "none" });
  const { searchParams } = new URL((await browser.open(request)).url);
  return searchParams.get("error") ?? (searchParams.has("code") ? "code" : "neither");
}

/** Returns the status of the answer. */
async function refresh(flow: Flow, { client, authentication }: ActingClient): Promise<number> {
  const refreshToken = flow.tokens.refresh_token ?? "";
  const response = await oauth.refreshTokenGrantRequest(
    flow.server,
    client,
    authentication,
    refreshToken,
    insecure,
  );
  return response.status;
}

it("a client that is no longer first-party needs a consent, also to refresh", async () => {
  const { pool, authUrl } = service;
  const [acting, other] = [
    await addActingClient(pool, { isFirstParty: true }),
    await addActingClient(pool, { isFirstParty: true }),
  ];
  const person = await addPerson(pool);
  const browser = new TestBrowser();
  const flow = await runCodeFlow(authUrl, acting, person, { browser });
  const flowOfOther = await runCodeFlow(authUrl, other, person, { browser });
  await updateClient(pool, acting.client.client_id, { isFirstParty: false }, () => {});
  assert.equal(await refresh(flow, acting), 400);
  assert.equal(await renew(browser, flow, acting), "consent_required");
  assert.equal(await refresh(flowOfOther, other), 200);
});

it("a client that stops being first-party gets no grant by a request at that moment", async () => {
  const { pool, authUrl, databaseUrl } = service;
  const [acting, other] = [
    await addActingClient(pool, { isFirstParty: true }),
    await addActingClient(pool, { isFirstParty: true }),
  ];
  const person = await addPerson(pool);
  const flow = await runCodeFlow(authUrl, acting, person);
  const browser = new TestBrowser();
  await runCodeFlow(authUrl, other, person, { browser });
  const { client_id: clientId } = acting.client;
  const watching = openTestPool(databaseUrl);
  const waiting = async () => {
    const { rows } = await watching.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0]?.count;
  };
  let renewed: string | undefined;
  const { updating, renewing } = await inTransaction(pool, async (connection) => {
    // When the command waits for this lock, it has already changed the client.
    await connection.query("select from auth.provider_records where client_id = $1 for update", [
      clientId,
    ]);
    const updating = updateClient(pool, clientId, { isFirstParty: false }, () => {});
    await until("the command waits", async () => (await waiting()) === 1);
    const renewing = renew(browser, flow, acting).then((result) => {
      renewed = result;
    });
    const isDecided = async () => renewed !== undefined || (await waiting()) === 2;
    await until("the request waits too", isDecided);
    return { updating: [updating], renewing: [renewing] };
  });
  await Promise.all([...updating, ...renewing]);
  await watching.end();
  assert.equal(renewed, "consent_required");
});

it("a client that was first-party for a time keeps the consents it had before", async () => {
  const { pool, authUrl } = service;
  const acting = await addActingClient(pool);
  const browser = new TestBrowser();
  const flow = await runCodeFlow(authUrl, acting, await addPerson(pool), { browser });
  await updateClient(pool, acting.client.client_id, { isFirstParty: true }, () => {});
  assert.equal(await refresh(flow, acting), 200);
  await updateClient(pool, acting.client.client_id, { isFirstParty: false }, () => {});
  assert.equal(await renew(browser, flow, acting), "code");
});

it("a client that is no longer for any organisation cannot refresh for its people", async () => {
  const { pool, authUrl } = service;
  const changes = { organisationId: "the vendor", isForAnyOrganisation: true };
  const acting = await addActingClient(pool, changes);
  const statuses: Record<string, number> = {};
  const people = ["globex", "the vendor"].map(async (organisationId) => ({
    organisationId,
    flow: await runCodeFlow(authUrl, acting, await addPerson(pool, { organisationId })),
  }));
  const flows = await Promise.all(people);
  await updateClient(pool, acting.client.client_id, { isForAnyOrganisation: false }, () => {});
  for (const { organisationId, flow } of flows) {
    statuses[organisationId] = await refresh(flow, acting);
  }
  assert.deepEqual(statuses, { globex: 400, "the vendor": 200 });
});
