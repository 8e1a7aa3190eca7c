/** Callers over real sockets, which hold some megabytes of an answer on the way. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { CallRecord } from "../telemetry/call-record.ts";
import { type Listening, listen } from "./listen.ts";
import { sendBytes } from "./protocols/send-answer.ts";
import { openCall, progressBytes } from "./running-call.ts";

const answerBytes = 16 * 1024 * 1024;
const limits = { timeoutMaxMs: 60_000, sendProgressMs: 100 };
/** So fast that the system accepts more in each longest pause, but not in each `sendProgressMs`. */
const bytesPerMs = (50 * progressBytes) / limits.sendProgressMs;

let server: Listening;
let caller: Socket;
/** What sending came to: undefined if all was sent. */
let outcome: Promise<unknown>;
beforeEach(async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  outcome = promise;
  server = await listen({ host: "127.0.0.1", port: 0 }, (request, response) => {
    const call = openCall(request.headers, response, limits, new CallRecord("a-request"));
    const answer = { contentType: "text/plain", content: Buffer.alloc(answerBytes) };
    sendBytes(response, call, answer, null).then(() => resolve(undefined), resolve);
  });
  caller = connect(server.port, server.host).on("error", () => {});
  caller.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
});
afterEach(async () => {
  caller.destroy();
  await server.close(0);
});

describe("an answer of many megabytes", () => {
  it("is sent whole to a caller who reads steadily", async () => {
    const startMs = performance.now();
    let bytes = 0;
    for await (const chunk of caller) {
      bytes += chunk.length;
      while (bytes > bytesPerMs * (performance.now() - startMs)) await setTimeout(5);
    }
    assert.ok(bytes > answerBytes, `read ${bytes} bytes`);
    assert.equal(await outcome, undefined);
  });

  it("is broken off when the caller reads nothing", async () => {
    caller.pause();
    assert.match(String(await outcome), /the caller does not read/);
    caller.resume();
    await once(caller, "close");
    assert.ok(caller.bytesRead < answerBytes);
  });
});
