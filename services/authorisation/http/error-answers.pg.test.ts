import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { startTestService, type TestService, testClient } from "../testing/test-service.ts";
import { basic, postForm } from "../testing/token-request.ts";

const { clientId, clientSecret } = testClient;
const grant = { grant_type: "client_credentials" };
let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

interface Case {
  request: string;
  form?: Record<string, string> | string[][];
  headers?: Record<string, string>;
  status: number;
  error: string;
}

const refused: Case[] = [
  {
    request: "with a wrong secret",
    headers: { authorization: basic(clientId, `${clientSecret}x`) },
    status: 401,
    error: "invalid_client",
  },
  {
    request: "of an unknown client",
    headers: { authorization: basic(randomUUID(), clientSecret) },
    status: 401,
    error: "invalid_client",
  },
  {
    request: "of a client whose identifier is no UUID",
    headers: { authorization: basic("' or true --", clientSecret) },
    status: 401,
    error: "invalid_client",
  },
  {
    request: "with the identifier in other letters",
    headers: { authorization: basic(clientId.toUpperCase(), clientSecret) },
    status: 401,
    error: "invalid_client",
  },
  {
    request: "with a wrong secret in the body",
    form: { ...grant, client_id: clientId, client_secret: "wrong" },
    headers: { authorization: "" },
    status: 401,
    error: "invalid_client",
  },
  {
    request: "with credentials given twice",
    form: { ...grant, client_id: clientId, client_secret: clientSecret },
    status: 400,
    error: "invalid_request",
  },
  {
    request: "without credentials",
    headers: { authorization: "" },
    status: 400,
    error: "invalid_request",
  },
  {
    request: "with a bearer token for credentials",
    headers: { authorization: "Bearer abc" },
    status: 400,
    error: "invalid_request",
  },
  { request: "without a grant type", form: {}, status: 400, error: "invalid_request" },
  {
    request: "with a parameter given twice",
    form: [
      ["grant_type", "client_credentials"],
      ["scope", "a"],
      ["scope", "b"],
    ],
    status: 400,
    error: "invalid_request",
  },
  ...["password", "implicit", "__proto__"].map((type) => ({
    request: `for the grant ${type}`,
    form: { grant_type: type },
    status: 400,
    error: "unsupported_grant_type",
  })),
  ...["authorization_code", "refresh_token"].map((type) => ({
    request: `for the grant ${type}, which it was not added with`,
    form: { grant_type: type },
    status: 400,
    error: "invalid_request",
  })),
  {
    request: "for a scope the client is not allowed",
    form: { ...grant, scope: "upl:bucket:read upl:bucket:delete" },
    status: 400,
    error: "invalid_scope",
  },
  {
    request: "for a scope of forbidden characters",
    form: { ...grant, scope: 'upl:bucket:read "' },
    status: 400,
    error: "invalid_scope",
  },
  ...["urn:svc:unknown", "urn:svc:uploads#part", "uploads"].map((resource) => ({
    request: `for the resource ${resource}`,
    form: { ...grant, resource },
    status: 400,
    error: "invalid_target",
  })),
  {
    request: "for two resources",
    form: [
      ["grant_type", "client_credentials"],
      ["resource", "urn:svc:uploads"],
      ["resource", "https://other.example/api"],
    ],
    status: 400,
    error: "invalid_target",
  },
  {
    request: "with a body that is not a form",
    headers: { "content-type": "application/json" },
    status: 400,
    error: "invalid_request",
  },
  {
    request: "with a body over the limit",
    form: { ...grant, padding: "x".repeat(16 * 1024) },
    status: 413,
    error: "invalid_request",
  },
];

describe("the token endpoint refuses a request", () => {
  for (const { request, form: fields = grant, headers = {}, status, error } of refused) {
    it(request, async () => {
      const response = await postForm(service.authUrl, fields, headers);
      const text = await response.text();
      const body = JSON.parse(text) as Record<string, string>;
      assert.deepEqual([response.status, body.error], [status, error], text);
      assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
      assert.equal(response.headers.get("cache-control"), "no-store");
      assert.ok(!text.includes(clientSecret));
    });
  }
});

it("a refused client is told how to authenticate (RFC 6749 section 5.2)", async () => {
  const response = await postForm(service.authUrl, grant, { authorization: basic(clientId, "no") });
  assert.match(response.headers.get("www-authenticate") ?? "", /^Basic realm="/);
});

it("the answers to a wrong secret and to an unknown client are the same", async () => {
  const answers = await Promise.all(
    [clientId, randomUUID(), "nobody"].map(async (id) => {
      const response = await postForm(service.authUrl, grant, { authorization: basic(id, "no") });
      const { status, headers } = response;
      const same = [...headers].filter(([name]) => !["date", "x-request-id"].includes(name));
      return JSON.stringify([status, same, await response.text()]);
    }),
  );
  assert.equal(new Set(answers).size, 1, answers.join("\n"));
});

it("a browser's page cannot use the secret of a client", async () => {
  const response = await postForm(service.authUrl, grant, { origin: "https://evil.example" });
  assert.equal(response.status, 400);
  assert.equal(response.headers.get("access-control-allow-origin"), null);
});

it("even one who asks for a page gets JSON", async () => {
  const response = await postForm(service.authUrl, { grant_type: "x" }, { accept: "text/html" });
  assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(((await response.json()) as { error: string }).error, "unsupported_grant_type");
});

it("the stored hash is not secret: it opens nothing", async () => {
  const { rows } = await service.pool.query<{ hash: string }>(
    "select hash from auth.client_secrets where client_id = $1",
    [clientId],
  );
  const authorization = basic(clientId, encodeURIComponent(rows[0]?.hash ?? ""));
  assert.equal((await postForm(service.authUrl, grant, { authorization })).status, 401);
});
