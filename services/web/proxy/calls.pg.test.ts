import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { after, before, beforeEach, describe, it } from "node:test";
import { until } from "@stowage/process/testing";
import { listUploads, ofPage, TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";
import { callPaths } from "./calls.ts";

let service: TestService;
let browser: TestBrowser;
before(async () => {
  service = await startTestService({ SESSION_REQUESTS_MAX: "3" });
});
after(() => service[Symbol.asyncDispose]());
beforeEach(async () => {
  browser = await service.signIn();
  service.uploads.asked.length = 0;
});

/** Begins a call whose answer the test reads. */
function begin(): { answered: Promise<IncomingMessage>; abort: () => void } {
  const request = httpRequest(service.origin + listUploads, {
    method: "POST",
    headers: {
      ...ofPage,
      "connect-protocol-version": "1",
      "content-type": "application/json",
      cookie: `stowage=${browser.cookies.get("stowage")}`,
    },
    agent: false,
  });
  request.on("error", () => undefined);
  request.end("{}");
  const answered = once(request, "response").then(([answer]: IncomingMessage[]) => {
    assert.ok(answer);
    answer.on("error", () => undefined);
    return answer;
  });
  answered.catch(() => undefined);
  return { answered, abort: () => request.destroy() };
}

/** Answers the next request with what the test does; resolves with the answer. */
function answerNext(): Promise<ServerResponse> {
  return new Promise((resolve) => {
    service.uploads.answer = (_, response) => resolve(response);
  });
}

describe("a call", () => {
  it("reaches the method with the same body, and the token instead of the cookie", async () => {
    service.uploads.answer = (_, response) => void response.end("{}");
    for (const path of callPaths) {
      const body = `{"search":"${path}"}`;
      const sent = {
        "connect-timeout-ms": "5000",
        "x-request-id": "abc",
        "accept-encoding": "gzip",
        authorization: "Bearer of-the-caller",
        "x-forwarded-for": "1.2.3.4",
        te: "trailers",
        ...{ connection: "keep-alive, x-secret", "x-secret": "1", referer: "http://x/?secret" },
        "proxy-authorization": "Basic eDp4",
        origin: service.origin,
      };
      assert.equal((await browser.call(path, sent, body)).status, 200);
      const asked = service.uploads.asked.at(-1);
      assert.deepEqual([asked?.method, asked?.url, asked?.body], ["POST", path, body]);
      const { authorization, host, ...headers } = asked?.headers ?? {};
      assert.ok(service.issuer.accessTokens.has(authorization?.replace("Bearer ", "") ?? ""));
      assert.deepEqual(headers, {
        "accept-encoding": "gzip",
        connection: "keep-alive",
        "connect-protocol-version": "1",
        "connect-timeout-ms": "5000",
        "content-length": String(body.length),
        "content-type": "application/json",
        "x-request-id": "abc",
      });
    }
  });

  it("gets the answer as it is, without cookies and headers of a connection", async () => {
    service.uploads.answer = (_, response) => {
      response.writeHead(404, {
        "content-type": "application/json",
        "retry-after": "7",
        "set-cookie": "x=1",
        "www-authenticate": "Bearer",
        "content-security-policy": "x",
        server: "x",
        "access-control-allow-origin": "*",
        "keep-alive": "timeout=1",
        trailer: "x",
      });
      response.end('{"code":"not_found"}');
    };
    const { status, text, headers } = await browser.call();
    assert.deepEqual([status, text], [404, '{"code":"not_found"}']);
    const { date, connection, "keep-alive": keepAlive, "permissions-policy": p, ...rest } = headers;
    assert.match(rest["x-request-id"] as string, /^[0-9a-f-]{36}$/);
    assert.deepEqual(
      { ...rest, "x-request-id": "" },
      {
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "content-type": "application/json",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "same-origin",
        "retry-after": "7",
        "transfer-encoding": "chunked",
        "x-content-type-options": "nosniff",
        "x-request-id": "",
      },
    );
  });

  it("gets each part of the answer as it comes", async () => {
    const answering = answerNext();
    const { answered } = begin();
    const response = await answering;
    response.write("first");
    const answer = await answered;
    assert.equal(String((await once(answer, "data"))[0]), "first");
    const ended = once(answer, "end");
    response.end("second");
    assert.equal(String((await once(answer, "data"))[0]), "second");
    await ended;
  });

  it("is cancelled when the browser goes, before the answer or in it", async () => {
    for (const hasBegun of [false, true]) {
      const answering = answerNext();
      const { answered, abort } = begin();
      const response = await answering;
      const closed = once(response, "close");
      if (hasBegun) {
        response.write("first");
        await answered;
      }
      abort();
      await closed;
    }
    assert.equal((await browser.session()).status, 200, "the server goes on");
  });

  it("whose answer breaks off breaks off too: it never looks complete", async () => {
    const answering = answerNext();
    const { answered } = begin();
    const response = await answering;
    response.write('{"uploads":[');
    const answer = await answered;
    answer.resume();
    const broken = new Promise((resolve) => answer.once("close", resolve));
    response.destroy();
    await broken;
    assert.equal(answer.complete, false);
  });

  it("with more than 64 KiB is refused", async () => {
    const { status, reason } = await browser.call(listUploads, {}, "x".repeat(64 * 1024 + 1));
    assert.deepEqual([status, reason], [429, "BODY_TOO_LARGE"]);
    assert.deepEqual(service.uploads.asked, []);
  });

  it("says that the uploads service cannot be reached, and nothing about where it is", async () => {
    const other = await service.startAnother({ BASE_URL: "http://127.0.0.1:9" });
    const same = new TestBrowser(other.origin);
    for (const [name, value] of browser.cookies) same.cookies.set(name, value);
    const { status, reason, text } = await same.call();
    assert.deepEqual([status, reason], [503, "UPLOADS_UNAVAILABLE"]);
    assert.doesNotMatch(text, /127\.0\.0\.1|ECONN/);
  });
});

describe("requests of one session", () => {
  it("are limited at once, and others are not hindered", async () => {
    const waiting: ServerResponse[] = [];
    service.uploads.answer = (_, response) => void waiting.push(response);
    const calls = [browser.call(), browser.call(), browser.call()];
    await until("three calls wait", () => waiting.length === 3);
    const refused = await browser.call();
    assert.deepEqual([refused.status, refused.reason], [429, "TOO_MANY_CALLS"]);
    assert.equal(refused.headers["retry-after"], "1");
    const other = await service.signIn();
    assert.equal((await other.session()).status, 200);
    for (const response of waiting) response.end("{}");
    for (const call of calls) assert.equal((await call).status, 200);
    assert.equal((await browser.session()).status, 200);
  });
});
