/** Answers that nobody reads, while requests wait for their connections. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type ListeningServer, listen, until } from "@stowage/process/testing";
import { whileConnected } from "../http/while-connected.ts";
import { forwardAnswer } from "./forward-answer.ts";
import { Upstream } from "./upstream.ts";

/** More than the system takes for a browser that does not read. */
const largeBytes = 64 * 1024 * 1024;

let stores: ListeningServer[];
let between: ListeningServer;
let upstream: Upstream;
/** By the path of the request: the answer to the browser, and how sending it ended. */
let sending: Map<string, ServerResponse>;
let ended: Map<string, string>;
beforeEach(async () => {
  stores = [];
  sending = new Map();
  ended = new Map();
  for (let count = 0; count < 2; count += 1) {
    const store = createServer(({ url }, response) => {
      response.end(url === "/small" ? "small" : Buffer.alloc(largeBytes));
    });
    stores.push(await listen(store));
  }
  between = await listen(createServer((...both) => void sendOn(...both)));
});
afterEach(async () => {
  for (const server of [between, ...stores]) await server.close();
});

async function sendOn({ url = "" }: IncomingMessage, response: ServerResponse): Promise<void> {
  sending.set(url, response);
  try {
    const answer = await open(url, 0, whileConnected(response));
    await forwardAnswer(answer, response, {});
    ended.set(url, "whole");
  } catch (error) {
    ended.set(url, (error as Error).message);
    response.destroy();
  }
}

function open(path: string, store: number, signal = new AbortController().signal) {
  const origin = new URL(stores[store]?.url ?? "");
  return upstream.open(origin, path, { method: "GET", headers: {}, signal });
}

/** A browser's answer, which it does not read yet. */
async function ask(path: string): Promise<IncomingMessage> {
  const outgoing = request(between.url + path, { agent: false }).end();
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  return answer;
}

const isPaused = () => sending.get("/large")?.writableNeedDrain === true;

describe("an answer that the browser does not read", () => {
  it("is ended when a request waits for its connection", async () => {
    upstream = new Upstream({ connectionsMax: 1, contendedPauseMaxMs: 100 });
    const unread = await ask("/large");
    const brokenOff = assert.rejects(once(unread, "end"), { code: "ECONNRESET" });
    await until("the browser is waited for", isPaused);
    const small = (await ask("/small")).resume();
    await once(small, "end");
    await until("the first has ended", () => ended.has("/large"));
    const reason = "nobody read for 100 ms, and others wait for the connection";
    assert.equal(ended.get("/large"), reason);
    unread.resume();
    await brokenOff;
  });

  it("goes on when it was not paused for long", async () => {
    upstream = new Upstream({ connectionsMax: 1, answerMaxMs: 2500 });
    const unread = await ask("/large");
    await until("the browser is waited for", isPaused);
    await assert.rejects(ask("/small"), { code: "ECONNRESET" });
    assert.equal(ended.get("/small"), "the server does not answer in time");
    unread.resume();
    await once(unread, "end");
    await until("all is sent", () => ended.get("/large") === "whole");
  });

  it("goes on when another one of that server was paused for longer", async () => {
    upstream = new Upstream({ connectionsMax: 2, contendedPauseMaxMs: 0 });
    const elsewhere = await open("/large", 1);
    const [first, second] = [await open("/large", 0), await open("/large", 0)];
    for (const answer of [elsewhere, first, second, first]) {
      await once(answer.resume(), "resume");
      answer.pause();
    }
    const secondEnds = assert.rejects(once(second, "end"), /others wait for the connection/);
    (await open("/small", 0)).resume();
    await secondEnds;
    assert.deepEqual([elsewhere.destroyed, first.destroyed], [false, false]);
    for (const answer of [elsewhere, first]) answer.destroy();
  });
});
