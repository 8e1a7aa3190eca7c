import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { after, before, beforeEach, describe, it } from "node:test";
import { type ListeningServer, listen } from "@stowage/process/testing";
import { ofPage, type TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

const bucketId = "6f3c7a52-0c43-4f37-8d0e-8a7a3d2f4b11";
const path = `/content/${bucketId}/upload-1`;
const bytes = Buffer.from("the bytes of the file");
const fileHeaders = {
  "content-type": "text/plain; charset=utf-8",
  etag: '"e1"',
  "accept-ranges": "bytes",
  "last-modified": "Mon, 23 Nov 2026 00:00:00 GMT",
  "cache-control": "private, no-cache",
  "content-disposition": "inline; filename=a.txt",
};

let service: TestService;
let browser: TestBrowser;
/** Stands for S3; tests say how it answers. */
let store: ListeningServer;
let answerOfStore: (request: IncomingMessage, response: ServerResponse) => void;
let askedOfStore: IncomingMessage[];
before(async () => {
  service = await startTestService();
  store = await listen(
    createServer((request, response) => {
      askedOfStore.push(request);
      answerOfStore(request, response);
    }),
  );
});
after(async () => {
  await store.close();
  await service[Symbol.asyncDispose]();
});
beforeEach(async () => {
  browser = await service.signIn();
  service.uploads.asked.length = 0;
  askedOfStore = [];
  answerOfStore = (_, response) => void response.writeHead(200, fileHeaders).end(bytes);
  service.uploads.answer = (_, response) => void response.writeHead(200, fileHeaders).end(bytes);
});

const get = (address = path, headers = {}, method = "GET") =>
  browser.send(address, { method, headers: { ...ofPage, ...headers } });

/** Has the uploads service redirect to an address of the store. */
function redirectTo(location: string): void {
  service.uploads.answer = (_, response) => void response.writeHead(302, { location }).end();
}

const sandbox =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; " +
  "frame-ancestors 'self'; sandbox";

describe("content of the uploads service", () => {
  it("arrives as it is, in a sandbox, for this origin only", async () => {
    const { status, text, headers } = await get();
    assert.deepEqual([status, text], [200, bytes.toString()]);
    for (const [name, value] of Object.entries(fileHeaders)) assert.equal(headers[name], value);
    assert.equal(headers["content-security-policy"], sandbox);
    assert.equal(headers["cross-origin-resource-policy"], "same-origin");
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["referrer-policy"], "no-referrer");
  });

  it("is asked for with ranges and conditions, and the token instead of the cookie", async () => {
    const conditions = {
      range: "bytes=4-8",
      "if-range": '"e1"',
      "if-none-match": '"e2"',
      "if-modified-since": fileHeaders["last-modified"],
      "if-match": "*",
    };
    service.uploads.answer = (_, response) =>
      void response.writeHead(206, { "content-range": "bytes 4-8/21" }).end("bytes");
    const answer = await get(path, { ...conditions, referer: "http://x", "accept-encoding": "br" });
    assert.deepEqual([answer.status, answer.headers["content-range"]], [206, "bytes 4-8/21"]);
    const {
      authorization,
      host,
      connection,
      "x-request-id": id,
      ...headers
    } = service.uploads.asked.at(-1)?.headers ?? {};
    assert.ok(authorization);
    assert.deepEqual(headers, conditions);
  });

  for (const status of [304, 404, 409, 416, 503]) {
    it(`may answer ${status}`, async () => {
      const body = status === 304 ? "" : '{"code":"x"}';
      service.uploads.answer = (_, response) => void response.writeHead(status).end(body);
      const answer = await get();
      assert.deepEqual([answer.status, answer.text], [status, body]);
    });
  }

  it("tells a person who opens its address of an error by a page", async () => {
    const message = "no source has the content of <b>";
    service.uploads.answer = (_, response) =>
      void response
        .writeHead(404, { "content-type": "application/json" })
        .end(JSON.stringify({ code: "not_found", message }));
    const { status, text, headers } = await get(path, { "sec-fetch-dest": "document" });
    assert.deepEqual([status, headers["content-type"]], [404, "text/html; charset=utf-8"]);
    assert.match(text, /<h1>Nothing found<\/h1>\n<p>No source has the content of &lt;b&gt;\.<\/p>/);
    assert.equal(headers["content-security-policy"], "default-src 'none'; frame-ancestors 'none'");
    service.uploads.answer = (_, response) =>
      void response.writeHead(502, { "retry-after": "5" }).end("<p>of a proxy");
    const other = await get(path, { "sec-fetch-dest": "document" });
    assert.deepEqual([other.status, other.headers["retry-after"]], [502, "5"]);
    assert.match(other.text, /<p>The content cannot be read\.<\/p>/);
  });

  it("answers HEAD without the bytes", async () => {
    service.uploads.answer = (_, response) =>
      void response.writeHead(200, { "content-length": "5000000000" }).end();
    const { status, text, headers } = await get(path, {}, "HEAD");
    assert.deepEqual([status, text, headers["content-length"]], [200, "", "5000000000"]);
    assert.equal(service.uploads.asked.at(-1)?.method, "HEAD");
  });

  it("is saved if the address says so", async () => {
    for (const query of ["attachment=&other=1", "other=a?b&attachment"]) {
      await get(`${path}?${query}`);
      assert.equal(service.uploads.asked.at(-1)?.url, `${path}?attachment`, query);
    }
  });

  const wrong = [
    "/content/",
    `/content/${bucketId}`,
    `/content/${bucketId}/`,
    "/content/x/upload-1",
    `/content/${bucketId}/..`,
    `/content/${bucketId}/%2e%2E`,
    `${path}/more`,
    `/content/${bucketId}/a%`,
    `/content/${bucketId}/a%zz`,
    `/content/${bucketId}/a;b`,
    `/content/${bucketId}/%ff`,
    `/content/${bucketId}/a%C3`,
    ...[`/content/${bucketId}/a\\b`, `/content/${bucketId}/`, `//content/${bucketId}/a`],
  ];
  for (const address of wrong) {
    it(`is not at ${address.replace(bucketId, "BUCKET")}`, async () => {
      assert.equal((await get(address)).reason, "ADDRESS_UNKNOWN");
      assert.deepEqual(service.uploads.asked, []);
    });
  }
});

describe("content of a store", () => {
  it("is fetched by the server, without token, cookie and address of the browser", async () => {
    redirectTo(`${store.url}/bucket/a%20b/..%2e/../c?X-Amz-Signature=s%2F1`);
    const range = { range: "bytes=0-3", "if-range": '"e1"' };
    const { status, text, headers } = await get(path, { ...range, "x-forwarded-for": "1.2.3.4" });
    assert.deepEqual([status, text], [200, bytes.toString()]);
    assert.equal(headers.location, undefined);
    assert.equal(headers["content-security-policy"], sandbox);
    const [asked] = askedOfStore;
    assert.equal(asked?.url, "/bucket/a%20b/..%2e/../c?X-Amz-Signature=s%2F1", "signed as it is");
    const { host, connection, ...sent } = asked?.headers ?? {};
    assert.deepEqual(sent, range);
  });

  it("is in our sandbox, whatever the store says", async () => {
    redirectTo(`${store.url}/x`);
    answerOfStore = (_, response) =>
      void response
        .writeHead(200, {
          "content-type": "text/html",
          "set-cookie": "a=b",
          "x-amz-meta-secret": "1",
          "content-security-policy": "default-src *",
          "access-control-allow-origin": "*",
          "x-content-type-options": "off",
          "referrer-policy": "unsafe-url",
          refresh: "0",
        })
        .end("<script>alert(1)</script>");
    const { headers } = await get();
    assert.equal(headers["content-security-policy"], sandbox);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["content-disposition"], "attachment");
    const dropped = ["set-cookie", "x-amz-meta-secret", "refresh", "access-control-allow-origin"];
    for (const name of dropped) assert.equal(headers[name], undefined, name);
  });

  it("is shown as the uploads service asks for, whatever the store says", async () => {
    const type = "text/plain; charset=utf-8";
    const disposition = 'inline; filename="a+ b.txt"';
    const asked = `response-content-type=${encodeURIComponent(type)}`;
    const name = `response-content-disposition=${encodeURIComponent(disposition)}`;
    redirectTo(`${store.url}/x?${asked}&${name}`);
    answerOfStore = (_, response) =>
      void response.writeHead(200, { "content-type": "text/html" }).end("<script>");
    const { headers } = await get();
    assert.equal(headers["content-type"], type);
    assert.equal(headers["content-disposition"], disposition);
  });

  it("is cached as we say, whatever the store says", async () => {
    redirectTo(`${store.url}/x`);
    const caching = { "cache-control": "public, max-age=31536000", etag: '"e1"' };
    for (const status of [200, 206, 304, 412, 416]) {
      answerOfStore = (_, response) => void response.writeHead(status, caching).end();
      const { headers } = await get();
      assert.equal(headers["cache-control"], "private, no-cache", `${status}`);
    }
  });

  for (const status of [412, 416]) {
    it(`with status ${status} comes without what the store explains`, async () => {
      redirectTo(`${store.url}/x`);
      const sent = { "content-type": "application/xml", "content-range": "bytes */21" };
      answerOfStore = (_, response) =>
        void response.writeHead(status, sent).end("<Error><Key>of-the-store</Key></Error>");
      const { text, headers, ...answer } = await get();
      assert.deepEqual([answer.status, text], [status, ""]);
      assert.equal(headers["content-range"], "bytes */21");
      assert.equal(headers["content-type"], undefined);
      assert.equal(headers["content-security-policy"], sandbox);
    });
  }

  const outcomes = [
    [206, 206, undefined],
    [304, 304, undefined],
    [412, 412, undefined],
    [416, 416, undefined],
    [301, 503, "CONTENT_UNAVAILABLE"],
    [403, 503, "CONTENT_UNAVAILABLE"],
    [404, 409, "CONTENT_CHANGED"],
    [500, 503, "CONTENT_UNAVAILABLE"],
  ] as const;
  for (const [ofStore, status, reason] of outcomes) {
    it(`with status ${ofStore} is ${reason ?? "passed on"}`, async () => {
      redirectTo(`${store.url}/x`);
      answerOfStore = (_, response) =>
        void response.writeHead(ofStore, { location: `${store.url}/elsewhere` }).end();
      const answer = await get();
      assert.deepEqual([answer.status, answer.reason], [status, reason]);
      assert.equal(askedOfStore.length, 1, "no further redirect is followed");
    });
  }

  for (const location of ["http://127.0.0.1:9/x", "ftp://x/y", "/relative", "", "javascript:1"]) {
    it(`at ${location || "no address"} is unavailable, and nothing is revealed`, async () => {
      redirectTo(location);
      const { status, reason, text } = await get();
      assert.deepEqual([status, reason], [503, "CONTENT_UNAVAILABLE"]);
      assert.doesNotMatch(text, /127|ECONN/);
    });
  }
});

describe("content with an origin of its own", () => {
  const url = "https://content.example/x/content/a/b?signature=1";
  let other: TestService;
  let reader: TestBrowser;
  before(async () => {
    other = await startTestService({ CONTENT_ORIGIN: "https://content.example/x" });
    reader = await other.signIn();
  });
  after(() => other[Symbol.asyncDispose]());
  const read = (address: string, destination: string) =>
    reader.send(address, { headers: { ...ofPage, "sec-fetch-dest": destination } });

  it("is a redirect to a link of 5 minutes where it is saved", async () => {
    other.uploads.answer = (_, response) => void response.end(JSON.stringify({ url }));
    const { status, headers } = await read(`${path.replace("-1", "%201")}?attachment`, "empty");
    assert.deepEqual([status, headers.location], [302, url]);
    assert.equal(headers["cache-control"], "no-store");
    const asked = other.uploads.asked.at(-1);
    assert.equal(asked?.url, "/stowage.v1.ContentService/CreateContentLink");
    assert.deepEqual(JSON.parse(asked?.body ?? ""), {
      bucketRef: { bucketId },
      uploadId: "upload 1",
      expiresInSeconds: 300,
      attachment: true,
    });
    other.uploads.answer = (_, response) =>
      void response.writeHead(404).end('{"code":"not_found"}');
    assert.equal((await read(`${path}?attachment`, "empty")).status, 404);
    const opened = await read(path, "document");
    assert.deepEqual([opened.status, opened.reason], [404, undefined]);
    assert.match(opened.text, /<h1>/);
    const notText = await read(`${path.replace("-1", "%ff")}?attachment`, "empty");
    assert.equal(notText.reason, "ADDRESS_UNKNOWN");
  });

  it("is not available when the answer with the link breaks off", async () => {
    other.uploads.answer = (_, response) => {
      response.writeHead(200, { "content-length": 100 }).write("{", () => response.destroy());
    };
    const { status, reason } = await read(`${path}?attachment`, "empty");
    assert.deepEqual([status, reason], [503, "UPLOADS_UNAVAILABLE"]);
  });

  for (const destination of ["document", "iframe", "embed", "object", "script", "style", ""]) {
    it(`is a redirect where it is shown as ${destination || "anything unknown"}`, async () => {
      other.uploads.answer = (_, response) => void response.end(JSON.stringify({ url }));
      assert.equal((await read(path, destination)).headers.location, url);
    });
  }

  for (const destination of ["empty", "image", "audio", "video"]) {
    it(`passes through where the page shows it: ${destination}`, async () => {
      other.uploads.answer = (_, response) => void response.writeHead(200, fileHeaders).end(bytes);
      const { status, text, headers } = await read(path, destination);
      assert.deepEqual([status, text], [200, bytes.toString()]);
      assert.equal(headers["content-security-policy"], sandbox);
    });
  }
});
