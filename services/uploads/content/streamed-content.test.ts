/** Content of a store that callers do not reach: the service streams it. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import { after, before, beforeEach, describe, it } from "node:test";
import { type ListeningServer, listen as listenStore, until } from "@stowage/process/testing";
import type { DatabaseForCaller } from "../fairness/fair-pool.ts";
import { FairQueue } from "../fairness/fair-queue.ts";
import { listen } from "../http/listen.ts";
import { callListener } from "../http/testing/call-listener.ts";
import { useCredentials } from "../sources/testing/no-store.ts";
import type { Content } from "./find-content.ts";
import { serveContent } from "./serve-content.ts";
import { signedUrl } from "./signed-links.ts";

const bucketId = "00000000-0000-4000-8000-000000000001";
const linkKey = Buffer.alloc(32);
const text = "0123456789";
const modified = { etag: '"e"', "last-modified": "Thu, 01 Jan 1970 00:00:00 GMT" };

describe("content of a store that the service streams", () => {
  let store: ListeningServer;
  let service: Awaited<ReturnType<typeof listen>>;
  /** Of each request of the service. */
  let asked: string[];
  let content: string;
  let answerGet: (response: ServerResponse, range: string | undefined) => void;

  before(async () => {
    useCredentials();
    const http = createServer(({ method, headers, url = "" }, response) => {
      assert.match(url, /^\/content\/in\/a\.txt/);
      asked.push(`${method} ${headers.range ?? ""}`.trim());
      const length = { "content-length": content.length };
      if (method === "HEAD") response.writeHead(200, { ...modified, ...length }).end();
      else answerGet(response, headers.range);
    });
    store = await listenStore(http);
    service = await listen({ host: "127.0.0.1", port: 0 }, callListener({ content: serve() }));
  });
  beforeEach(() => {
    asked = [];
    content = text;
    answerGet = sendRange;
  });
  after(async () => {
    await service.close(0);
    await store.close();
  });

  function sendRange(response: ServerResponse, range: string | undefined, change = {}): void {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
    const bytes = content.slice(Number(first ?? 0), Number(last ?? content.length) + 1);
    const part = range && { "content-range": `bytes ${first}-${last}/${content.length}` };
    const headers = { ...modified, ...part, "content-length": bytes.length, ...change };
    response.writeHead(range ? 206 : 200, headers).end(bytes);
  }

  function serve() {
    const find = async (): Promise<Content> => ({
      ...{ bucketId, organisationId: "acme", path: "/", filename: "a.txt", mountPath: "/" },
      ...{ sizeBytes: content.length, updatedAtMicros: 0n, s3: { etag: '"e"' } },
      location: {
        ...{ kind: "s3", bucket: "content", prefix: "in/", pathStyle: true },
        ...{ endpoint: store.url, content: "stream" },
      },
    });
    return serveContent({
      validator: { validate: () => assert.fail("links need no token") },
      consumeRateLimit: undefined,
      databaseFor: (() => ({ read: find })) as unknown as DatabaseForCaller,
      streams: new FairQueue({
        ...{ slots: 4, reservedSlots: 1, waitingMax: 4, waitMaxMs: 1000, revocableAfterMs: 1000 },
        weightOf: () => 1,
      }),
      linkKey,
    });
  }

  function url(): string {
    const expiresAtSeconds = Math.ceil(Date.now() / 1000) + 60;
    const link = { bucketId, uploadId: "u", expiresAtSeconds, isAttachment: false };
    return signedUrl(`http://${service.host}:${service.port}`, link, linkKey);
  }

  async function ask(headers = {}, method = "GET") {
    const answer = await fetch(url(), { method, headers });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  it("is sent as the service shows files, not as the store does", async () => {
    answerGet = (response) => sendRange(response, undefined, { "content-type": "text/html" });
    const answer = await ask();
    assert.deepEqual([answer.status, answer.text], [200, text]);
    assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8");
    assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
    assert.equal(answer.headers.get("location"), null);
    assert.deepEqual(asked, ["HEAD", "GET"]);
  });

  it("is sent in ranges, which the store gives", async () => {
    const answer = await ask({ range: "bytes=2-4" });
    assert.deepEqual([answer.status, answer.text], [206, "234"]);
    assert.equal(answer.headers.get("content-range"), "bytes 2-4/10");
    assert.deepEqual(asked, ["HEAD", "GET bytes=2-4"]);
  });

  it("is not read from the store for HEAD, or for a caller who wants another version", async () => {
    const { headers } = await ask({}, "HEAD");
    assert.equal(headers.get("content-length"), "10");
    const { status } = await ask({ "if-match": '"other"' });
    assert.deepEqual([status, asked], [412, ["HEAD", "HEAD"]]);
  });

  it("may be empty", async () => {
    content = "";
    const answer = await ask();
    assert.deepEqual([answer.status, answer.text], [200, ""]);
  });

  const refusals: Record<string, [status: number, answer: typeof answerGet]> = {
    "was changed since it was asked for": [
      409,
      (response, range) =>
        sendRange(response, range, { etag: '"x"', "last-modified": new Date().toUTCString() }),
    ],
    "the store does not give": [503, (response) => void response.writeHead(403).end()],
    "the store does not give in ranges": [503, (response) => sendRange(response, undefined)],
  };
  for (const [what, [status, answer]] of Object.entries(refusals)) {
    it(`is refused in the form of the service if it ${what}`, async () => {
      answerGet = answer;
      const refused = await ask({ range: "bytes=2-4" });
      assert.equal(refused.status, status);
      assert.match(refused.text, /^\{"code":/);
    });
  }

  it("is broken off if the store sends less than it said", async () => {
    answerGet = (response) => response.writeHead(200, modified).end("012");
    const [answer] = (await once(get(url()), "response")) as [IncomingMessage];
    answer.resume();
    await assert.rejects(once(answer, "end"), { code: "ECONNRESET" });
  });

  it("is no longer read from the store when the caller goes away", async () => {
    let isClosed = false;
    answerGet = (response) => {
      response.writeHead(200, { ...modified, "content-length": text.length }).write("01");
      response.on("close", () => (isClosed = true));
    };
    const request = get(url());
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    await once(answer, "data");
    request.destroy();
    await until("the store's connection is closed", () => isClosed);
  });
});
