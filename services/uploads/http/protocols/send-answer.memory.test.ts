import assert from "node:assert/strict";
import { connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { BufferPool } from "../../calls/buffer-pool.ts";
import { CallRecord } from "../../telemetry/call-record.ts";
import { listen } from "../listen.ts";
import { abortResponse, sendBuffered } from "../node-http.ts";
import { openCall } from "../running-call.ts";
import { callUnder } from "../testing/call-under.ts";
import { sendBytes } from "./send-answer.ts";

const pageBytes = 60_000;
/** More than socket buffers hold while the caller does not read. */
const pagesOfSlow = 250;

it("an answer keeps its memory until the system has sent it, even to a slow caller", async () => {
  const buffers = new BufferPool();
  let sent = 0;
  const server = await listen({ host: "127.0.0.1", port: 0 }, (request, response) => {
    response.once("finish", () => {
      sent += 1;
    });
    const { bytes: content, release } = buffers.acquire(pageBytes);
    content.fill(Number(request.url?.slice(1)));
    const call = callUnder(new AbortController().signal);
    void sendBytes(response, call, { contentType: "text/plain", content, release }, null);
  });
  try {
    const slow = connect(server.port, server.host);
    slow.write(Array.from({ length: pagesOfSlow }, (_, number) => get(number)).join(""));
    await untilStill(() => sent);
    assert.ok(sent < pagesOfSlow, "the system took all that nobody reads");

    for (let number = 0; number < 50; number++) {
      const quick = connect(server.port, server.host);
      quick.write(get(255, "close"));
      assert.deepEqual(pagesOf(await buffer(quick)), [255]);
    }

    slow.write(get(pagesOfSlow, "close"));
    assert.deepEqual(
      pagesOf(await buffer(slow)),
      Array.from({ length: pagesOfSlow + 1 }, (_, number) => number),
    );
  } finally {
    await server.close(0);
  }
});

it("an answer whose time runs out behind another never has the content of a third", async () => {
  const buffers = new BufferPool();
  const blocked = Promise.withResolvers<void>();
  const late = Promise.withResolvers<unknown>();
  const limits = { timeoutMaxMs: 60_000, sendProgressMs: 60_000 };
  const server = await listen({ host: "127.0.0.1", port: 0 }, (request, response) => {
    const number = Number(request.url?.slice(1));
    if (number === 0) {
      void blocked.promise.then(() => response.end());
      return;
    }
    const { bytes: content, release } = buffers.acquire(pageBytes);
    content.fill(number);
    const call = openCall(request.headers, response, limits, new CallRecord("a-request"));
    const answer = { contentType: "text/plain", content, release };
    sendBytes(response, call, answer, null).catch((error: unknown) => {
      if (response.headersSent) abortResponse(response);
      else sendBuffered(response, 504, {}, Buffer.of());
      late.resolve(error);
    });
  });
  try {
    const caller = connect(server.port, server.host);
    caller.write(get(0) + get(1, "keep-alive", "Connect-Timeout-Ms: 20\r\n"));
    assert.match(String(await late.promise), /the time of the request ran out/);
    for (let number = 0; number < 50; number++) {
      const other = connect(server.port, server.host);
      other.write(get(255, "close"));
      assert.deepEqual(pagesOf(await buffer(other)), [255]);
    }
    blocked.resolve();
    caller.end();
    const received = await buffer(caller);
    assert.ok(!received.includes(255), "the answer has the content of others");
    assert.match(received.toString(), /^HTTP\/1.1 200 [\s\S]*HTTP\/1.1 504 /);
  } finally {
    blocked.resolve();
    await server.close(0);
  }
});

function get(number: number, connection = "keep-alive", headers = ""): string {
  return `GET /${number} HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\n${headers}\r\n`;
}

/** The numbers that the pages are filled with, all of each. */
function pagesOf(received: Buffer): (number | undefined)[] {
  const pages = [];
  for (let at = 0; at < received.length; ) {
    const start = received.indexOf("\r\n\r\n", at) + 4;
    assert.ok(start > 4, "no head of an answer");
    at = start + pageBytes;
    const [first, ...others] = new Set(received.subarray(start, at));
    pages.push(others.length === 0 ? first : undefined);
  }
  return pages;
}

async function untilStill(count: () => number): Promise<void> {
  for (let turns = 0, seen = -1; turns < 1000; turns++) {
    turns = count() === seen ? turns : 0;
    seen = count();
    await setImmediate();
  }
}
