import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { readContent } from "./read-content.ts";

const stored = gzipSync("the text of a log\n".repeat(100));

async function listen(listener: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe("readContent()", () => {
  let store: { server: Server; url: string };
  let service: { server: Server; url: string };
  before(async () => {
    store = await listen((request, response) => {
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
      const headers = { "content-encoding": "gzip", "content-type": "text/plain" };
      response.writeHead(from > 0 ? 206 : 200, headers).end(stored.subarray(from));
    });
    service = await listen((request, response) => {
      if (request.url === "/gone") return response.writeHead(404).end("{}");
      const location = request.url === "/circle" ? "/circle" : `${store.url}/object`;
      return response.writeHead(302, { location }).end();
    });
  });
  after(() => {
    store.server.close();
    service.server.close();
  });

  it("gives the bytes that a store has, also if it marks them as compressed", async () => {
    const answer = await readContent(`${service.url}/content`, {});
    assert.equal(answer.statusCode, 200);
    assert.deepEqual(await buffer(answer), stored);
  });

  it("asks the store for the range", async () => {
    const answer = await readContent(`${service.url}/content`, { range: "bytes=10-" });
    assert.equal(answer.statusCode, 206);
    assert.deepEqual(await buffer(answer), stored.subarray(10));
  });

  it("gives an answer that is no redirect as it is", async () => {
    const answer = await readContent(`${service.url}/gone`, {});
    assert.equal(answer.statusCode, 404);
    assert.equal((await buffer(answer)).toString(), "{}");
  });

  it("ends redirects in a circle", async () => {
    const url = `${service.url}/circle`;
    await assert.rejects(readContent(url, {}), /got more than 5 redirects/);
  });
});
