import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request as requestHttp1 } from "node:http";
import { type ClientHttp2Stream, connect as connectHttp2 } from "node:http2";
import { text } from "node:stream/consumers";
import { afterEach, describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Code } from "@connectrpc/connect";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import { ApiError } from "../../model/api-error.ts";
import { type Listening, listen } from "../listen.ts";
import { callUnder } from "../testing/call-under.ts";
import { readUntilAborted, sendResponse } from "./grpc-protocol.ts";

const ended = Symbol("sent to its end");
let server: Listening;
/** What `sendResponse` came to. */
let outcome: Promise<unknown>;
let aborter: AbortController;

async function start(body: AsyncIterable<Uint8Array>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers();
  outcome = promise;
  aborter = new AbortController();
  const answered: UniversalServerResponse = { status: 200, body };
  server = await listen({ host: "127.0.0.1", port: 0 }, (_request, response) => {
    sendResponse(answered, response, callUnder(aborter.signal)).then(
      () => resolve(ended),
      (error) => {
        response.destroy();
        resolve(error);
      },
    );
  });
}

afterEach(() => server.close(0));

async function callHttp1(): Promise<IncomingMessage> {
  const call = requestHttp1({ port: server.port, host: server.host, agent: false }).end();
  const [response] = await once(call, "response");
  return response;
}

async function callHttp2(): Promise<ClientHttp2Stream> {
  const session = connectHttp2(`http://${server.host}:${server.port}`);
  const stream = session.request({ ":path": "/" });
  stream.once("close", () => session.destroy());
  await once(stream, "response");
  return stream;
}

const chunk = new Uint8Array(64 * 1024);
let chunksMade: number;

async function* endless(): AsyncGenerator<Uint8Array> {
  for (chunksMade = 0; ; chunksMade++) yield chunk;
}

/** Waits until the response makes no more chunks, and returns their number. */
async function chunksUntilStill(): Promise<number> {
  let seen = -1;
  for (let turns = 0; turns < 1000; turns++) {
    turns = chunksMade === seen ? turns : 0;
    seen = chunksMade;
    await setImmediate();
  }
  return seen;
}

describe("sendResponse()", () => {
  it("settles when everything is sent", async () => {
    await start(
      (async function* () {
        yield new TextEncoder().encode("a");
        yield new TextEncoder().encode("b");
      })(),
    );
    assert.equal(await text(await callHttp1()), "ab");
    assert.equal(await outcome, ended);
  });

  for (const [protocol, call] of Object.entries({ "HTTP/1.1": callHttp1, "HTTP/2": callHttp2 })) {
    it(`waits for a caller that does not read, or the signal, over ${protocol}`, async () => {
      await start(endless());
      await call();
      // Loopback sockets take some megabytes.
      assert.ok((await chunksUntilStill()) < 500);
      const reason = new Error("time is up");
      aborter.abort(reason);
      assert.equal(await outcome, reason);
    });
  }

  it("rejects when the body fails", async () => {
    const failure = new Error("no more");
    await start(
      (async function* () {
        yield chunk;
        throw failure;
      })(),
    );
    await assert.rejects(text(await callHttp1()));
    assert.equal(await outcome, failure);
  });

  it("ends the source of the body when the signal aborts", async () => {
    let isFreed = false;
    await start(
      (async function* () {
        try {
          yield* endless();
        } finally {
          isFreed = true;
        }
      })(),
    );
    await callHttp1();
    await chunksUntilStill();
    aborter.abort();
    await outcome;
    await setImmediate();
    assert.ok(isFreed);
  });
});

describe("readUntilAborted()", () => {
  async function* twoChunks() {
    yield Uint8Array.of(1);
    yield Uint8Array.of(2);
  }

  it("passes on the chunks of a body", async () => {
    const chunks = await Array.fromAsync(
      readUntilAborted(twoChunks(), new AbortController().signal),
    );
    assert.deepEqual(chunks, [Uint8Array.of(1), Uint8Array.of(2)]);
  });

  it("stops waiting for a body that does not arrive", async () => {
    const stop = new AbortController();
    const never = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    const reading = readUntilAborted(never, stop.signal).next();
    stop.abort(new ApiError("DEADLINE_EXCEEDED", "time is up"));
    await assert.rejects(reading, { code: Code.DeadlineExceeded, rawMessage: "time is up" });
  });
});
