import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { relayDatabase } from "@stowage/process/testing";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import { addOtherClient, type OtherClient } from "../testing/other-clients.ts";
import { startTestService, type TestService, testClient } from "../testing/test-service.ts";
import { basic, requestToken } from "../testing/token-request.ts";
import { introspectionScope } from "./introspection-and-revocation.ts";

const insecure = { [oauth.allowInsecureRequests]: true };
const client = { client_id: testClient.clientId };
const authentication = oauth.ClientSecretBasic(testClient.clientSecret);
let service: TestService;
let server: oauth.AuthorizationServer;
let colleague: OtherClient;
let stranger: OtherClient;
let resourceServer: OtherClient;
before(async () => {
  service = await startTestService();
  const issuer = new URL(service.authUrl);
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
  server = await oauth.processDiscoveryResponse(issuer, discovered);
  colleague = await addOtherClient(service.pool);
  stranger = await addOtherClient(service.pool, { organisationId: "other" });
  resourceServer = await addOtherClient(service.pool, {
    organisationId: "operator",
    scopes: [introspectionScope],
  });
});
after(() => service[Symbol.asyncDispose]());

async function introspect(token: string): Promise<oauth.IntrospectionResponse> {
  const request = oauth.introspectionRequest(server, client, authentication, token, insecure);
  return await oauth.processIntrospectionResponse(server, client, await request);
}

async function post(
  route: "revocation" | "introspection",
  form: Record<string, string> | string[][],
  headers: Record<string, string> = {},
  authUrl = service.authUrl,
): Promise<Response> {
  return await fetch(`${authUrl}/${route}`, {
    method: "POST",
    headers: { authorization: basic(testClient.clientId, testClient.clientSecret), ...headers },
    body: new URLSearchParams(form),
  });
}

async function isActiveFor(asker: OtherClient, token: string): Promise<boolean> {
  const { authorization } = asker;
  const text = await (await post("introspection", { token }, { authorization })).text();
  if (!(JSON.parse(text) as { active: boolean }).active) assert.equal(text, '{"active":false}');
  return (JSON.parse(text) as { active: boolean }).active;
}

describe("the metadata", () => {
  it("names both endpoints and how to authenticate there, in both forms", async () => {
    const issuer = new URL(service.authUrl);
    for (const algorithm of ["oauth2", "oidc"] as const) {
      const discovered = await oauth.discoveryRequest(issuer, { algorithm, ...insecure });
      const metadata = await oauth.processDiscoveryResponse(issuer, discovered);
      for (const name of ["revocation", "introspection"] as const) {
        assert.equal(metadata[`${name}_endpoint`], `${service.authUrl}/${name}`);
        assert.deepEqual(metadata[`${name}_endpoint_auth_methods_supported`], [
          "client_secret_basic",
          "client_secret_post",
          "private_key_jwt",
          ...(name === "revocation" ? ["none"] : []),
        ]);
      }
    }
  });
});

describe("introspection", () => {
  it("tells of a good token all its claims", async () => {
    const token = await requestToken(service.authUrl);
    const answer: Record<string, unknown> = { ...(await introspect(token)) };
    const expected = { active: true, token_type: "Bearer", ...decodeJwt(token) };
    assert.deepEqual(answer, expected);
  });

  it("answers the token's organisation and resource servers, and nobody else", async () => {
    const token = await requestToken(service.authUrl);
    assert.equal(await isActiveFor(colleague, token), true);
    assert.equal(await isActiveFor(resourceServer, token), true);
    assert.equal(await isActiveFor(stranger, token), false);
  });

  it("tells nothing of what is no token, or not ours", async () => {
    const [header, payload] = (await requestToken(service.authUrl)).split(".");
    const unsigned = Buffer.from('{"alg":"none"}').toString("base64url");
    const forged = [
      `${header}.${payload}.AAAA`,
      `${header}.${payload}.`,
      `${unsigned}.${payload}.`,
    ];
    for (const token of [...forged, "opaque", "a.b.c", "é", "\0", "x".repeat(9000)]) {
      const response = await post("introspection", { token });
      assert.equal(response.status, 200, token);
      assert.equal(await response.text(), '{"active":false}');
      assert.equal(response.headers.get("cache-control"), "no-store");
    }
  });

  it("obeys every kind of denylist entry", async () => {
    const token = await requestToken(service.authUrl);
    const { sub, iat } = decodeJwt(token);
    assert.equal((await introspect(token)).active, true);
    await service.pool.query(
      `insert into denylist.entries (kind, value, issued_before, expires_at)
       values ('sub', $1, $2, null)`,
      [sub, Number(iat) + 1],
    );
    await service.pool.query("notify denylist_entries");
    while ((await introspect(token)).active) await new Promise(setImmediate);
    await service.pool.query("truncate denylist.entries");
    // Tokens of the next second are valid.
    const isLaterActive = async () =>
      (await introspect(await requestToken(service.authUrl))).active;
    while (!(await isLaterActive())) await new Promise(setImmediate);
  });
});

describe("revocation", () => {
  it("ends a token at once here, and leaves an entry that lasts as long as it", async () => {
    await using fresh = await startTestService();
    const token = await requestToken(fresh.authUrl);
    const metadata = { ...server, revocation_endpoint: `${fresh.authUrl}/revocation` };
    for (const hint of ["access_token", "refresh_token", "unheard-of"]) {
      const response = await oauth.revocationRequest(metadata, client, authentication, token, {
        additionalParameters: { token_type_hint: hint },
        ...insecure,
      });
      assert.equal(await oauth.processRevocationResponse(response), undefined);
    }
    const { jti, exp } = decodeJwt(token);
    const { rows } = await fresh.pool.query(
      `select kind, value, expires_at::int as exp from denylist.entries`,
    );
    assert.deepEqual(rows, [{ kind: "jti", value: jti, exp }]);
    const response = await post("introspection", { token }, {}, fresh.authUrl);
    assert.deepEqual(await response.json(), { active: false });
  });

  it("is for the client's own only: another's token is answered like an unknown one", async () => {
    const token = await requestToken(service.authUrl);
    for (const { authorization } of [colleague, stranger, resourceServer]) {
      for (const shown of [token, "opaque", "a.b.c", `${token}x`]) {
        const response = await post("revocation", { token: shown }, { authorization });
        assert.deepEqual([response.status, await response.text()], [200, ""]);
      }
    }
    assert.equal(await isActiveFor(colleague, token), true);
  });

  it("is known to other processes", async () => {
    const another = await service.startAnother({ authUrl: service.authUrl });
    const token = await requestToken(service.authUrl);
    await post("revocation", { token });
    const there = `http://127.0.0.1:${another.port}`;
    const isActive = async () =>
      ((await (await post("introspection", { token }, {}, there)).json()) as { active: boolean })
        .active;
    while (await isActive()) await new Promise(setImmediate);
    await another.stop();
  });

  it("does not claim to have happened when the database is away", async () => {
    const database = await relayDatabase(service.databaseUrl);
    const another = await service.startAnother({ databaseUrl: database.databaseUrl });
    const token = await requestToken(another.authUrl);
    await database.cut();
    const response = await post("revocation", { token }, {}, another.authUrl);
    assert.equal(response.status, 503);
    assert.ok(Number(response.headers.get("retry-after")) > 0);
    assert.equal(((await response.json()) as { error: string }).error, "server_error");
    await database.mend();
    await another.stop();
    await database.cut();
  });
});

const wrong = basic(testClient.clientId, "wrong");
const refusals = [
  ["without a token", {}, {}, 400, "invalid_request"],
  [
    "with two tokens",
    [
      ["token", "a"],
      ["token", "b"],
    ],
    {},
    400,
    "invalid_request",
  ],
  ["without credentials", { token: "a" }, { authorization: "" }, 400, "invalid_request"],
  ["with a wrong secret", { token: "a" }, { authorization: wrong }, 401, "invalid_client"],
  [
    "of an unknown client",
    { token: "a" },
    { authorization: basic("3f0c8c1e-6d3b-4c8e-9d54-0a4b5f2f9a11", "x") },
    401,
    "invalid_client",
  ],
  [
    "with a body that is not a form",
    { token: "a" },
    { "content-type": "application/json" },
    400,
    "invalid_request",
  ],
] as const;
for (const route of ["revocation", "introspection"] as const) {
  describe(`${route} refuses a request`, () => {
    for (const [request, form, headers, status, error] of refusals) {
      it(request, async () => {
        const response = await post(route, form as Record<string, string>, { ...headers });
        const body = (await response.json()) as { error: string };
        assert.deepEqual([response.status, body.error], [status, error]);
        assert.equal(response.headers.get("cache-control"), "no-store");
      });
    }

    it("with a wrong secret for a good token, and does nothing to it", async () => {
      const token = await requestToken(service.authUrl);
      assert.equal((await post(route, { token }, { authorization: wrong })).status, 401);
      assert.equal(await isActiveFor(colleague, token), true);
    });
  });
}
