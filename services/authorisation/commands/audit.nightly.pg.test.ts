import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { decodeJwt } from "jose";
import type { ListedAuthorisation, ListedAuthorisations } from "../store/list-authorisations.ts";
import { addOtherClient, type OtherClient } from "../testing/other-clients.ts";
import { type Ended, runToEnd } from "../testing/run-program.ts";
import { startTestService, type TestService, testClient } from "../testing/test-service.ts";
import { postForm, requestToken } from "../testing/token-request.ts";

const grant = { grant_type: "client_credentials", scope: "upl:bucket:read" };
let service: TestService;
let stranger: OtherClient;
let ids: string[];
before(async () => {
  service = await startTestService({ trustedProxies: ["127.0.0.1"] });
  stranger = await addOtherClient(service.pool, { organisationId: "other" });
  ids = [];
  for (const _ of [1, 2, 3]) ids.unshift(idOf(await requestToken(service.authUrl)));
  const headers = {
    authorization: stranger.authorization,
    "x-forwarded-for": "198.51.100.1, 203.0.113.9",
  };
  const response = await postForm(service.authUrl, grant, headers);
  ids.unshift(idOf(((await response.json()) as { access_token: string }).access_token));
});
after(() => service[Symbol.asyncDispose]());

function idOf(token: string): string {
  return String(decodeJwt(token)["urn:svc:auth:authorisation_id"]);
}

function audit(...commandLine: string[]): Promise<Ended> {
  return runToEnd("commands/audit.ts", commandLine, { DATABASE_URL: service.databaseUrl });
}

async function list(...commandLine: string[]): Promise<ListedAuthorisations> {
  const { code, stdout, stderr } = await audit("--json", ...commandLine);
  assert.deepEqual([code, stderr], [0, ""]);
  return JSON.parse(stdout) as ListedAuthorisations;
}

async function idsOf(...commandLine: string[]): Promise<string[]> {
  return (await list(...commandLine)).authorisations.map((one) => one.authorisationId);
}

describe("audit", { concurrency: 2 }, () => {
  it("shows what was granted to which client, when, and from which address", async () => {
    const { authorisations, next } = await list("--authorisation", ids[0] ?? "");
    const [{ issuedAt, applicationId, tokenId, ...rest } = {} as ListedAuthorisation] =
      authorisations;
    assert.match(String(tokenId), /^[0-9a-f-]{36}$/);
    assert.deepEqual([authorisations.length, next], [1, null]);
    assert.deepEqual(rest, {
      authorisationId: ids[0],
      grantType: "client_credentials",
      clientId: stranger.clientId,
      organisationId: "other",
      subject: `urn:svc:serviceaccount:${stranger.clientId}`,
      audience: "urn:svc:uploads",
      scopes: ["upl:bucket:read", "service_account"],
      authorizationDetails: null,
      sourceAuthorisationId: null,
      clientOrganisationId: null,
      address: "203.0.113.9",
      sessionId: null,
      grantId: null,
    });
    assert.ok(Math.abs(Date.parse(String(issuedAt)) - Date.now()) < 60_000);
    assert.notEqual(applicationId, "");
  });

  it("lists the newest first, and filters by client, subject and organisation", async () => {
    assert.deepEqual(await idsOf(), ids);
    assert.deepEqual(await idsOf("--client", testClient.clientId), ids.slice(1));
    const subject = `urn:svc:serviceaccount:${testClient.clientId}`;
    assert.deepEqual(await idsOf("--subject", subject), ids.slice(1));
    assert.deepEqual(await idsOf("--organisation", "other"), ids.slice(0, 1));
    assert.deepEqual(await idsOf("--organisation", "other", "--subject", subject), []);
  });

  it("filters by time", async () => {
    assert.deepEqual(await idsOf("--from", "2020-01-01", "--to", "2020-01-02"), []);
    assert.deepEqual(await idsOf("--from", "2020-01-01"), ids);
    assert.deepEqual(await idsOf("--to", "2020-01-01T00:00:00+01:00"), []);
    assert.deepEqual(await idsOf("--to", "2999-01-01T00:00:00Z"), ids);
  });

  it("lists all grants page by page, each once", async () => {
    const seen: string[] = [];
    let after: string[] = [];
    for (;;) {
      const { authorisations, next } = await list("--limit", "3", ...after);
      seen.push(...authorisations.map((one) => one.authorisationId));
      if (next === null) break;
      assert.equal(authorisations.length, 3);
      after = ["--after", next];
    }
    assert.deepEqual(seen, ids);
  });

  it("says on stderr that there is nothing to show", async () => {
    const { code, stdout, stderr } = await audit("--subject", "nobody");
    assert.deepEqual([code, stdout, stderr], [0, "", "no such grants\n"]);
    assert.equal((await audit("--subject", "nobody", "--events")).stderr, "no such events\n");
  });

  it("shows the same as text", async () => {
    const { code, stdout } = await audit("--limit", "1");
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^authorisation  ${ids[0]}\ngranted        20\\S+:\\d\\dZ\n`));
    assert.match(stdout, /\nfrom {11}203\.0\.113\.9\ngrant {10}client_credentials\n/);
    assert.match(
      stdout,
      /\nscopes {9}upl:bucket:read service_account\njti {12}.+\n\nThere are more: --after /,
    );
    assert.equal((await audit("--organisation", "nobody")).stdout, "");
  });

  it("fails if the grant of --after does not exist", async () => {
    const { code, stderr } = await audit("--after", "3f0c8c1e-6d3b-4c8e-9d54-0a4b5f2f9a11");
    assert.equal(code, 1);
    assert.match(stderr, /^stowage: Cannot list what follows 3f0c8c1e-.*: it is not on record\n$/);
  });

  const misuses = [
    ["--authorisation", "x"],
    ["--client", "%"],
    ["--subject", ""],
    ["--organisation", "a\nb"],
    ["--from", "yesterday"],
    ["--to", "2026-13-01"],
    ["--to", "2026-02-29T00:00:00Z"],
    ["--limit", "0"],
    ["--limit", "1001"],
    ["--after", "1"],
    ["more"],
  ];
  for (const misuse of misuses) {
    it(`refuses ${JSON.stringify(misuse)}`, async () => {
      const { code, stdout, stderr } = await audit(...misuse);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, /^stowage: .*; see stowage .* --help\n$/);
    });
  }
});
