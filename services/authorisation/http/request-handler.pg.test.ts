import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, it } from "node:test";
import { decodeJwt } from "jose";
import { startTestService, type TestService, testClient } from "../testing/test-service.ts";
import { basic, requestToken } from "../testing/token-request.ts";

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

it("routes of oidc-provider that are not offered do not exist", async () => {
  const paths = [
    "/",
    "/auth/x",
    "/auth/",
    "/interaction",
    "/me",
    "/reg",
    "/request",
    "/device/auth",
    "/jwks",
    "/TOKEN",
  ];
  for (const path of [...paths, "/token/", "/token/revocation", "/session/end/x"]) {
    for (const method of ["GET", "POST"]) {
      const response = await fetch(service.authUrl + path, { method });
      assert.equal(response.status, 404, `${method} ${path}`);
      assert.equal(((await response.json()) as { error: string }).error, "not_found");
    }
  }
});

it("other methods are refused, and the answer names the allowed ones", async () => {
  const cases = [
    ["GET", "/token", "POST, OPTIONS"],
    ["PUT", "/token", "POST, OPTIONS"],
    // It names no method of a page of another origin, so it is no preflight.
    ["OPTIONS", "/token", "POST, OPTIONS"],
    ["POST", "/.well-known/jwks.json", "GET, HEAD, OPTIONS"],
    ["DELETE", "/.well-known/openid-configuration", "GET, HEAD, OPTIONS"],
  ] as const;
  for (const [method, path, allowed] of cases) {
    const response = await fetch(service.authUrl + path, { method });
    assert.equal(response.status, 405, `${method} ${path}`);
    assert.equal(response.headers.get("allow"), allowed);
    assert.equal(((await response.json()) as { error: string }).error, "invalid_request");
  }
});

it("serves a request target in absolute form, as proxies send it", async () => {
  for (const path of ["/readyz", "/healthz", "/.well-known/jwks.json"]) {
    assert.equal((await get(`http://login.example${path}`, {})).status, 200, path);
  }
});

it("several spaces between scopes are one", async () => {
  const body = "grant_type=client_credentials&scope=+upl:bucket:read++upl:bucket:write";
  const { status, body: answer } = await get("/token", {}, { ...tokenRequest, body });
  assert.equal(status, 200);
  const { scope } = JSON.parse(answer) as { scope: string };
  assert.equal(scope, "upl:bucket:read upl:bucket:write service_account");
});

it("HEAD gets the headers of GET and no body", async () => {
  const response = await fetch(`${service.authUrl}/.well-known/jwks.json`, { method: "HEAD" });
  assert.equal(response.status, 200);
  assert.equal(await response.text(), "");
});

it("no header changes the address that the service has for itself", async () => {
  const lies = {
    host: "evil.example",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "https",
    "x-forwarded-for": "1.2.3.4",
    forwarded: "host=evil.example;proto=https",
  };
  const path = "/.well-known/openid-configuration";
  for (const target of [path, `http://evil.example${path}`, `${path}?host=evil.example`]) {
    const { status, body } = await get(target, lies);
    assert.equal(status, 200, target);
    const { issuer, token_endpoint, jwks_uri } = JSON.parse(body) as Record<string, string>;
    assert.equal(issuer, service.authUrl);
    assert.equal(token_endpoint, `${service.authUrl}/token`);
    assert.equal(jwks_uri, `${service.authUrl}/.well-known/jwks.json`);
  }
  const { body } = await get("/token", lies, tokenRequest);
  const { access_token: token } = JSON.parse(body) as { access_token: string };
  assert.equal(decodeJwt(token).iss, service.authUrl);
});

it("an AUTH_URL with another host and a path is the issuer, and its path is served", async () => {
  const authUrl = "https://photos.example.com/sign-in";
  await using other = await startTestService({ authUrl });
  assert.equal(other.authUrl, authUrl);
  const local = `http://127.0.0.1:${other.port}`;
  for (const path of [
    "/sign-in/.well-known/openid-configuration",
    "/sign-in/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/sign-in",
  ]) {
    const metadata = (await (await fetch(local + path)).json()) as Record<string, string>;
    assert.equal(metadata.issuer, authUrl, path);
    assert.equal(metadata.token_endpoint, `${authUrl}/token`);
    assert.equal(metadata.jwks_uri, `${authUrl}/.well-known/jwks.json`);
  }
  assert.equal((await fetch(`${local}/.well-known/jwks.json`)).status, 404);
  assert.equal(decodeJwt(await requestToken(`${local}/sign-in`)).iss, authUrl);
});

it("a body that never ends is refused, and the connection closed", async () => {
  const { hostname, port } = new URL(service.authUrl);
  const socket = connect(Number(port), hostname);
  // Not events.once, which rejects when an error comes first.
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  // The service has closed the connection, so writing fails: the test expects that.
  socket.on("error", () => socket.destroy());
  socket.write("POST /token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n");
  socket.write("Content-Type: application/x-www-form-urlencoded\r\n\r\n");
  const feeding = setInterval(() => socket.write(`1000\r\n${"x".repeat(0x1000)}\r\n`), 1);
  await closed;
  clearInterval(feeding);
  assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1.1 413 .*invalid_request/s);
});

const tokenRequest = {
  method: "POST",
  body: "grant_type=client_credentials",
  headers: {
    "content-type": "application/x-www-form-urlencoded",
    authorization: basic(testClient.clientId, testClient.clientSecret),
  },
};

/** Sends a request with exactly these headers: `fetch` would set the true host. */
async function get(
  target: string,
  headers: Record<string, string>,
  options: { method?: string; body?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number | undefined; body: string }> {
  const { hostname, port } = new URL(service.authUrl);
  const request = httpRequest({
    hostname,
    port,
    path: target,
    method: options.method ?? "GET",
    headers: { ...headers, ...options.headers },
  });
  request.end(options.body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
}
