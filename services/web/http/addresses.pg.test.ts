import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { get } from "node:http";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { codeToHttpStatus, codeToString } from "@connectrpc/connect/protocol-connect";
import { relayDatabase } from "@stowage/process/testing";
import { errorCodes } from "../model/web-error.ts";
import { navigation, ofPage, TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

let service: TestService;
let browser: TestBrowser;
before(async () => {
  service = await startTestService();
  browser = new TestBrowser(service.origin);
});
after(() => service[Symbol.asyncDispose]());

const page = /^<!doctype html><title>The page/;

describe("the page", () => {
  it("is at / with any query, and asked for anew each time", async () => {
    for (const path of ["/", "/?bucket=photos&path=%2F..%2F"]) {
      const { status, text, headers } = await browser.open(path);
      assert.equal(status, 200);
      assert.match(text, page);
      assert.equal(headers["content-type"], "text/html; charset=utf-8");
      assert.equal(headers["cache-control"], "no-cache");
    }
  });

  it("allows scripts and styles from its own files only", async () => {
    const { headers } = await browser.open("/");
    const policy = String(headers["content-security-policy"]).split("; ");
    for (const directive of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'self'",
    ]) {
      assert.ok(policy.includes(directive), directive);
    }
    assert.doesNotMatch(policy.join(), /unsafe-inline|unsafe-eval|\*/);
  });

  it("is not sent again if the browser has it", async () => {
    const { headers } = await browser.open("/");
    const again = await browser.send("/", { headers: { "if-none-match": headers.etag } });
    assert.deepEqual([again.status, again.text], [304, ""]);
    assert.equal(again.headers["content-length"], undefined);
  });

  it("answers HEAD like GET, without a body", async () => {
    const { status, text, headers } = await browser.send("/", { method: "HEAD" });
    assert.deepEqual([status, text], [200, ""]);
    assert.notEqual(headers["content-length"], "0");
  });
});

describe("the files of the page", () => {
  it("are kept for a year if their names have a hash, and compressed if wanted", async () => {
    const file = "/assets/app-1a2b.js";
    for (const [accepted, encoding] of [
      ["gzip, deflate, br, zstd", "gzip"],
      ["br", undefined],
      ["gzip;q=0", undefined],
      ["identity", undefined],
    ] as const) {
      const headers = { "accept-encoding": accepted };
      const answer = await browser.send(file, { headers });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers["content-encoding"], encoding, accepted);
      assert.equal(answer.headers["cache-control"], "public, max-age=31536000, immutable");
      assert.match(answer.headers["content-type"] ?? "", /^(text|application)\/javascript/);
      assert.equal(answer.headers.vary, "Accept-Encoding");
    }
  });

  it("besides them are asked for anew", async () => {
    const { status, headers } = await browser.send("/icon.svg");
    assert.deepEqual([status, headers["content-type"]], [200, "image/svg+xml"]);
    assert.equal(headers["cache-control"], "no-cache");
  });
});

describe("every other address is unknown", () => {
  const paths = [
    "/index.html",
    "/assets/",
    "/assets/none.js",
    "/assets/../index.html",
    "/assets/%2e%2e/x",
    "/assets/app-1a2b.js.gz",
    "/assets/app-1a2b.js/",
    "/Session",
    "/session/",
    "//",
    "/favicon.ico",
    "/svc.api.v1.BucketUploadsService/DeleteUploads",
    "/__proto__",
    "/%00",
    "*",
    "/sign-in/x",
    "/svc.api.v1.BucketUploadsService/ListUploads/",
    "/metrics",
    "/.well-known/jwks.json",
  ];
  for (const path of paths) {
    it(path, async () => {
      const { status, reason } = await browser.send(path, { headers: ofPage });
      assert.deepEqual([status, reason], [404, "ADDRESS_UNKNOWN"]);
    });
  }

  it("and a person who opens one reads that", async () => {
    const { status, text, headers } = await browser.open("/nothing");
    assert.equal(status, 404);
    assert.match(text, /<h1>Nothing found<\/h1>/);
    assert.equal(headers["content-security-policy"], "default-src 'none'; frame-ancestors 'none'");
  });
});

it("another method is refused with those that are allowed", async () => {
  for (const [method, path, allow] of [
    ["POST", "/", "GET, HEAD"],
    ["GET", "/sign-out", "POST"],
    ["POST", "/session", "GET"],
    ["PUT", "/content/a/b", "GET, HEAD"],
    ["GET", "/back-channel-logout", "POST"],
    ["GET", "/stowage.v1.BucketsService/ListBuckets", "POST"],
    ["OPTIONS", "/stowage.v1.BucketsService/ListBuckets", "POST"],
    ["HEAD", "/sign-in", "GET"],
    ["TRACE", "/", "GET, HEAD"],
  ] as const) {
    const { status, headers } = await browser.send(path, { method, headers: ofPage });
    assert.deepEqual([status, headers.allow], [405, allow], `${method} ${path}`);
    assert.equal(headers["access-control-allow-origin"], undefined);
  }
});

describe("the host of a request", () => {
  it("by another name of this machine is redirected, since cookies know one name", async () => {
    const host = new URL(service.origin).host.replace("127.0.0.1", "localhost");
    const answer = await browser.send("/sign-in?return=/x", { headers: { ...navigation, host } });
    assert.equal(answer.status, 303);
    assert.equal(answer.headers.location, `${service.origin}/sign-in?return=/x`);
  });

  it("is refused otherwise: it is a page that pretends to be this machine", async () => {
    for (const host of ["attacker.example", "127.0.0.1.attacker.example", "x:1", "[::1"]) {
      const { status, reason } = await browser.send("/session", { headers: { ...ofPage, host } });
      assert.deepEqual([status, reason], [421, "HOST_REFUSED"], host);
    }
    const headers = { ...ofPage, host: new URL(service.origin).host.replace("127.0.0.1", "[::1]") };
    const { status, reason } = await browser.send("/sign-out", { method: "POST", headers });
    assert.deepEqual([status, reason], [421, "HOST_REFUSED"], "a redirect would lose what is sent");
  });

  it("does not matter behind a proxy with https, which has HSTS then", async () => {
    const { port } = await service.startAnother({ PAGE_URL: "https://files.example.com" });
    const { status, headers } = await new TestBrowser(`http://127.0.0.1:${port}`).open("/");
    assert.equal(status, 200);
    assert.equal(headers["strict-transport-security"], "max-age=31536000");
  });
});

it("every answer has the headers that protect", async () => {
  const signedIn = await service.signIn();
  for (const path of ["/", "/icon.svg", "/session", "/nothing", "/sign-in", "/signed-in"]) {
    const { headers } = await signedIn.send(path, { headers: ofPage });
    assert.equal(headers["x-content-type-options"], "nosniff", path);
    assert.equal(headers["cross-origin-opener-policy"], "same-origin");
    assert.equal(headers["cross-origin-resource-policy"], "same-origin");
    assert.match(String(headers["content-security-policy"]), /frame-ancestors 'none'/);
    assert.match(String(headers["permissions-policy"]), /camera=\(\)/);
    assert.match(String(headers["referrer-policy"]), /^(same-origin|no-referrer)$/);
    assert.match(String(headers["x-request-id"]), /^[0-9a-f-]{36}$/);
  }
});

it("the page, its files and its health are also at addresses as proxies send them", async () => {
  const { origin } = service;
  const { port } = new URL(origin);
  const statusOf = async (path: string) => {
    const [answer] = await once(get({ host: "127.0.0.1", port, path, agent: false }), "response");
    return answer.resume().statusCode;
  };
  for (const path of ["/", "/?bucket=photos", "/icon.svg", "/healthz", "/readyz"]) {
    assert.equal(await statusOf(origin + path), 200, path);
  }
  assert.equal(await statusOf(`${origin}/nothing`), 404);
  assert.equal(await statusOf("http://attacker.example/"), 421, "its host is checked, too");
});

it("connections of one address beyond its limit are closed, but not those of proxies", async () => {
  const limit = { ADDRESS_CONNECTIONS_MAX: "1", TRUSTED_PROXIES: "127.0.0.2" };
  const { port } = await service.startAnother(limit);
  const from = (localAddress: string) => ({ host: "127.0.0.1", port, localAddress, agent: false });
  const held = ["127.0.0.1", "127.0.0.2"].map((address) => connect(from(address)));
  await Promise.all(held.map((socket) => once(socket, "connect")));
  await assert.rejects(once(get(from("127.0.0.1")), "response"), { code: "ECONNRESET" });
  const [answer] = await once(get(from("127.0.0.2")), "response");
  assert.equal(answer.resume().statusCode, 200);
  for (const socket of held) socket.destroy();
});

it("an internal error reveals nothing of its cause", async () => {
  await using other = await startTestService();
  const signedIn = await other.signIn();
  await other.pool.query("alter table web.sessions rename to gone");
  const { status, reason, text } = await signedIn.session();
  assert.deepEqual([status, reason], [500, "INTERNAL"]);
  assert.doesNotMatch(text, /relation|sessions/);
});

it("while the database is away, the answer is 503, and sessions go on afterwards", async () => {
  const relay = await relayDatabase(service.databaseUrl);
  const { origin, stop } = await service.startAnother({ DATABASE_URL: relay.databaseUrl });
  const signedIn = await service.signIn();
  const other = new TestBrowser(origin);
  for (const [name, value] of signedIn.cookies) other.cookies.set(name, value);
  assert.equal((await other.session()).status, 200);
  await relay.cut();
  const { status, reason } = await other.session();
  assert.deepEqual([status, reason], [503, "DATABASE_UNAVAILABLE"]);
  assert.equal((await other.send("/readyz")).status, 503);
  assert.equal((await other.open("/")).status, 200, "the page itself needs no database");
  await relay.mend();
  assert.equal((await other.session()).status, 200);
  await stop();
  await relay.cut();
});

it("README.md has every error in the code, and no other", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const rows = readme.matchAll(/^\| `([A-Z_]+)` \| `([a-z_]+)` \| (\d+) \|.+\|$/gm);
  const documented = [...rows].map(([, reason, code, status]) => `${reason} ${code} ${status}`);
  const inCode = Object.entries(errorCodes).map(([reason, { code, ...own }]) => {
    const status = "httpStatus" in own ? own.httpStatus : codeToHttpStatus(code);
    return `${reason} ${codeToString(code)} ${status}`;
  });
  assert.deepEqual(documented.sort(), inCode.sort());
});
