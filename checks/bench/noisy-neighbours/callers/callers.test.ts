import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { listen, until } from "@stowage/process/testing";
import { type Call, type CallerCommand, CallerProcess } from "./caller.ts";

const call: Call = { path: "/list", token: "of-a-caller", body: "{}", answer: "right" };

describe("callers", () => {
  const callers = new CallerProcess();
  after(() => callers[Symbol.asyncDispose]());

  /** Runs callers against a server until it has seen so many requests. */
  async function run(kind: CallerCommand["kind"], requests: number, listener: RequestListener) {
    let seen = 0;
    const server = await listen(
      createServer((request, response) => {
        seen += 1;
        listener(request, response);
      }),
    );
    const { port } = server;
    try {
      const caller = await callers.start({ kind, port, localAddress: "127.0.0.2", calls: [call] });
      await until("the requests have come", () => Promise.resolve(seen >= requests));
      return await caller.stop();
    } finally {
      await server.close();
    }
  }

  it("of the well-behaved tenant count what is not the right answer", async () => {
    let number = 0;
    const requests: IncomingMessage[] = [];
    const { ends, latenciesMs } = await run("steady", 20, (request, response) => {
      requests.push(request);
      number += 1;
      if (number === 2) response.writeHead(503);
      if (number === 3) request.socket.destroy();
      else response.end(number === 1 ? "other" : "right");
    });
    const { 200: right, ...others } = ends;
    assert.deepEqual(others, { wrong: 1, 503: 1, ECONNRESET: 1 });
    assert.equal(right, latenciesMs.length - 3);
    const { headers, socket } = requests[0]!;
    assert.equal(headers.authorization, "Bearer of-a-caller");
    assert.equal(socket.remoteAddress?.endsWith("127.0.0.2") ?? true, true);
  });

  it("of the well-behaved tenant keep their rate, and count waiting as latency", async () => {
    const stallMs = 300;
    const stalled = sleep(stallMs);
    const { latenciesMs } = await run("steady", 50, async (_, response) => {
      await stalled;
      response.end("right");
    });
    // Without the calls that could not be sent meanwhile, only those on the connections were slow.
    const slow = latenciesMs.filter((ms) => ms > stallMs / 3);
    assert.ok(slow.length > 20, `${slow.length} slow calls`);
  });

  it("that search while they type give every search up", async () => {
    const { ends } = await run("type-ahead", 20, ({ headers }, response) => {
      const timeoutMs = Number(headers["connect-timeout-ms"] ?? 10_000);
      setTimeout(() => response.writeHead(504).end(), timeoutMs);
    });
    const { aborted = 0, answered } = ends;
    assert.ok(aborted >= 20);
    assert.equal(answered, undefined);
  });

  it("that search in a loop have 64 connections", async () => {
    const sockets = new Set<unknown>();
    const all = Promise.withResolvers<void>();
    await run("closed loop", 200, async ({ socket }, response) => {
      sockets.add(socket);
      // The first ones would make all calls before the last is open.
      if (sockets.size === 64) all.resolve();
      await all.promise;
      response.end();
    });
    assert.equal(sockets.size, 64);
  });

  it("that read trees slowly hold sixteen streams", async () => {
    const { ends } = await run("slow trees", 16, (_, response) => {
      response.write(Buffer.alloc(2 ** 20));
    });
    assert.deepEqual(ends, { streaming: 16 });
  });
});
