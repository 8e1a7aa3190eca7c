import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request as requestHttp1 } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { compressionGzip } from "@connectrpc/connect-node";
import type { WriteChunk } from "../../calls/handler.ts";
import { type Listening, listen } from "../listen.ts";
import { callUnder } from "../testing/call-under.ts";
import { chooseEncoding } from "./accept-encoding.ts";
import { sendInChunks, streamEncodings } from "./send-chunks.ts";

let server: Listening;
/** Of `sendInChunks`: undefined once it has settled well. */
let failure: Promise<unknown>;
let aborter: AbortController;

async function start(make: (write: WriteChunk) => Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers();
  failure = promise;
  aborter = new AbortController();
  server = await listen({ host: "127.0.0.1", port: 0 }, (request, response) => {
    const encoding = chooseEncoding(request.headers["accept-encoding"], streamEncodings);
    const compression = encoding?.name === "gzip" ? compressionGzip : null;
    const form = { contentType: "application/json", compression, encoding };
    sendInChunks(response, callUnder(aborter.signal), form, make).then(
      () => resolve(undefined),
      (error) => {
        // If nothing has been sent yet, the failure can still be reported.
        if (!response.headersSent) response.statusCode = 500;
        if (response.headersSent) response.destroy();
        else response.end("refused");
        resolve(error);
      },
    );
  });
}

afterEach(() => server.close(0));

async function call(acceptEncoding?: string): Promise<IncomingMessage> {
  const headers = acceptEncoding === undefined ? {} : { "accept-encoding": acceptEncoding };
  const { port, host } = server;
  const request = requestHttp1({ port, host, agent: false, headers }).end();
  const [response] = await once(request, "response");
  return response;
}

const decoders = { gzip: createGunzip, br: createBrotliDecompress };
const bytesOf = (content: string) => new TextEncoder().encode(content);
const chunks = Array.from({ length: 50 }, (_, index) => String(index).repeat(3000));

async function writeAll(write: WriteChunk): Promise<void> {
  // The same memory for every chunk, as the contract of `write` allows.
  const memory = new Uint8Array(10_000);
  for (const chunk of chunks) {
    memory.set(bytesOf(chunk));
    await write(memory.subarray(0, chunk.length));
  }
}

describe("sendInChunks()", () => {
  it("sends a single chunk complete, with its length", async () => {
    await start((write) => write(bytesOf("{}")));
    const response = await call();
    assert.equal(response.headers["content-length"], "2");
    assert.equal(await text(response), "{}");
    assert.equal(await failure, undefined);
  });

  it("compresses a single chunk that is large enough", async () => {
    await start((write) => write(bytesOf("x".repeat(5000))));
    const response = await call("gzip");
    assert.equal(response.headers["content-encoding"], "gzip");
    assert.ok(Number(response.headers["content-length"]) < 100);
    assert.equal(await text(response.pipe(createGunzip())), "x".repeat(5000));
  });

  it("sends several chunks without an encoding", async () => {
    await start(writeAll);
    const response = await call();
    assert.equal(response.headers["transfer-encoding"], "chunked");
    assert.equal(await text(response), chunks.join(""));
    assert.equal(await failure, undefined);
  });

  for (const [name, createDecoder] of Object.entries(decoders)) {
    it(`sends several chunks in ${name}`, async () => {
      await start(writeAll);
      const response = await call(name);
      assert.equal(response.headers["content-encoding"], name);
      assert.equal(await text(response.pipe(createDecoder())), chunks.join(""));
      assert.equal(await failure, undefined);
    });
  }

  for (const encoding of [undefined, "gzip", "br"] as const) {
    it(`sends the first chunks while the rest is made, ${encoding ?? "no encoding"}`, async () => {
      const seen = Promise.withResolvers<void>();
      await start(async (write) => {
        await write(bytesOf("begin"));
        await write(bytesOf("ning"));
        await seen.promise;
        await write(bytesOf(", end"));
      });
      const response = await call(encoding);
      const body = encoding === undefined ? response : response.pipe(decoders[encoding]());
      let received = "";
      for await (const chunk of body) {
        received += chunk;
        if (received === "beginning") seen.resolve();
      }
      assert.equal(received, "beginning, end");
    });
  }

  it("can still send an error after one chunk", async () => {
    const error = new Error("no more");
    await start(async (write) => {
      await write(bytesOf("{"));
      throw error;
    });
    const response = await call("br");
    assert.deepEqual([response.statusCode, await text(response)], [500, "refused"]);
    assert.equal(await failure, error);
  });

  for (const encoding of [undefined, "gzip", "br"]) {
    it(`has begun the response after two chunks, ${encoding ?? "no encoding"}`, async () => {
      const error = new Error("no more");
      await start(async (write) => {
        await write(bytesOf("{"));
        await write(bytesOf("}"));
        throw error;
      });
      await assert.rejects(async () => text(await call(encoding)));
      assert.equal(await failure, error);
    });
  }

  for (const encoding of [undefined, "gzip"]) {
    it(`waits for a caller that does not read, ${encoding ?? "no encoding"}`, async () => {
      let chunkCount = 0;
      // Random bytes, which no encoder makes smaller.
      const chunk = crypto.getRandomValues(new Uint8Array(64 * 1024));
      await start(async (write) => {
        for (; ; chunkCount++) await write(chunk);
      });
      await call(encoding);
      let seen = -1;
      for (let turns = 0; turns < 1000; turns++) {
        if (chunkCount !== seen) turns = 0;
        seen = chunkCount;
        await setImmediate();
      }
      // Loopback sockets take some megabytes.
      assert.ok(chunkCount < 500);
      const reason = new Error("time is up");
      aborter.abort(reason);
      assert.equal(await failure, reason);
    });
  }
});
