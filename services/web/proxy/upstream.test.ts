import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type ListeningServer, listen, until } from "@stowage/process/testing";
import { discard, readWhole, Upstream } from "./upstream.ts";

let server: ListeningServer;
/** Requests that the server does not answer by itself, and its connections. */
let waiting: ServerResponse[];
let connections: number;
beforeEach(async () => {
  waiting = [];
  connections = 0;
  const http = createServer((_, response) => void waiting.push(response));
  server = await listen(http.on("connection", () => (connections += 1)));
});
afterEach(() => server.close());

function open(upstream: Upstream, { signal } = new AbortController()) {
  return upstream.open(new URL(server.url), "/", { method: "GET", headers: {}, signal });
}

const tooLate = { message: "the server does not answer in time" };

describe("a request", () => {
  it("fails when the head of the answer does not come in time", async () => {
    await assert.rejects(open(new Upstream({ answerMaxMs: 1000 })), tooLate);
    await until("the connection is closed", () => waiting[0]?.destroyed === true);
  });

  it("fails when no connection is free in time", async () => {
    const upstream = new Upstream({ connectionsMax: 1, answerMaxMs: 500 });
    const first = open(upstream);
    await until("the first waits for its answer", () => waiting.length === 1);
    waiting[0]?.write("the head is there");
    const answer = await first;
    await assert.rejects(open(upstream), tooLate);
    assert.equal(waiting.length, 1, "the server never saw the second");
    answer.destroy();
  });

  it("stops waiting for a connection when the browser goes", async () => {
    const upstream = new Upstream({ connectionsMax: 1 });
    const first = open(upstream);
    await until("the first waits for its answer", () => waiting.length === 1);
    const browser = new AbortController();
    const second = open(upstream, browser);
    browser.abort(new Error("the browser is gone"));
    await assert.rejects(second, { message: "the browser is gone" });
    waiting[0]?.end();
    discard(await first);
  });

  it("goes through the proxy of the environment, if that is wanted", async () => {
    const origin = new URL("http://store.invalid");
    const plain = { method: "GET", headers: {}, signal: AbortSignal.timeout(20_000) };
    const upstream = new Upstream({}, { HTTP_PROXY: server.url });
    const answer = upstream.open(origin, "/a?b", plain);
    await until("the request arrives", () => waiting.length === 1);
    assert.equal(waiting[0]?.req.url, "http://store.invalid/a?b");
    waiting[0]?.end();
    discard(await answer);
  });

  it("is refused at once when too many wait for a connection", async () => {
    const upstream = new Upstream({ connectionsMax: 1, waitingMax: 1 });
    const first = open(upstream);
    await until("the first waits for its answer", () => waiting.length === 1);
    const second = open(upstream);
    await assert.rejects(open(upstream), { message: "1 requests wait for a connection already" });
    for (const [index, request] of [first, second].entries()) {
      await until("a request arrives", () => waiting.length === index + 1);
      waiting[index]?.end();
      discard(await request);
    }
  });
});

describe("an answer that is dropped", () => {
  it("leaves its connection for the next request if it is short", async () => {
    const upstream = new Upstream({ connectionsMax: 1 });
    for (const index of [0, 1]) {
      const request = open(upstream);
      await until("the request arrives", () => waiting.length === index + 1);
      waiting[index]?.end("short");
      discard(await request);
    }
    assert.equal(connections, 1);
  });

  it("is not read to its end if it is long", async () => {
    const request = open(new Upstream());
    await until("the request arrives", () => waiting.length === 1);
    const closed = once(waiting[0] as ServerResponse, "close");
    waiting[0]?.write(Buffer.alloc(64 * 1024));
    discard(await request);
    await closed;
  });

  it("is not waited for without end", async () => {
    const request = open(new Upstream());
    await until("the request arrives", () => waiting.length === 1);
    waiting[0]?.write("short");
    const message = "an answer takes more than 50 ms";
    await assert.rejects(readWhole(await request, 1000, 50), { message });
  });
});
