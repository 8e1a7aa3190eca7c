import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { afterEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type ListeningServer, listen, until } from "@stowage/process/testing";
import { forwardAnswer } from "./forward-answer.ts";
import { Upstream } from "./upstream.ts";

const contentBytes = 64 * 1024 * 1024;
const silenceMaxMs = 400;
/** Half of what Node buffers before a stream must drain. */
const partBytes = 32 * 1024;

let servers: ListeningServer[] = [];
afterEach(async () => {
  for (const server of servers) await server.close();
  servers = [];
});

interface Passing {
  readonly answer: IncomingMessage;
  /** The answer of the server between, and how sending it on ended. */
  readonly passing: { response?: ServerResponse; bytes: number; ended?: string };
}

/** A browser's answer to a request that passes through a server between. */
async function pass(
  answerOfStore: (response: ServerResponse, passing: Passing["passing"]) => void,
  limits = { silenceMaxMs, pauseMaxMs: 60_000 },
): Promise<Passing> {
  const passing: Passing["passing"] = { bytes: 0 };
  const store = await listen(createServer((_, response) => answerOfStore(response, passing)));
  const upstream = new Upstream();
  const between = await listen(
    createServer(async (incoming, response) => {
      passing.response = response;
      const { signal } = new AbortController();
      const sent = { method: "GET", headers: {}, signal };
      const answer = await upstream.open(new URL(store.url), "/", sent);
      answer.on("data", (chunk: Buffer) => (passing.bytes += chunk.length));
      // A server that closes connections without traffic has set this.
      incoming.socket.setTimeout(silenceMaxMs);
      await forwardAnswer(answer, response, {}, limits).then(
        () => (passing.ended = "whole"),
        (error: Error) => (passing.ended = error.message),
      );
    }),
  );
  servers.push(between, store);
  const outgoing = request(between.url, { agent: false }).on("error", () => undefined);
  outgoing.end();
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  return { answer: answer.on("error", () => undefined), passing };
}

const sendAll = (response: ServerResponse) => void response.end(Buffer.alloc(contentBytes));

describe("an answer of another server", () => {
  it("ends when the other server falls silent", async () => {
    const { answer, passing } = await pass((response) => void response.write("first"));
    answer.resume();
    await until("it has ended", () => passing.ended !== undefined);
    assert.equal(passing.ended, "the server sent nothing for 400 ms");
    assert.equal(answer.complete, false);
  });

  it("goes on after the browser has paused for longer than silence may last", async () => {
    const { answer, passing } = await pass(sendAll);
    await until("the browser is waited for", () => passing.response?.writableNeedDrain === true);
    const pausedAtMs = performance.now();
    await until("the pause was long", () => performance.now() - pausedAtMs > 3 * silenceMaxMs);
    assert.equal(passing.ended, undefined);
    let bytes = 0;
    for await (const chunk of answer) bytes += (chunk as Buffer).length;
    assert.equal(bytes, contentBytes);
    await until("it has ended", () => passing.ended !== undefined);
    assert.equal(passing.ended, "whole");
  });

  it("ends when the browser reads nothing for too long", async () => {
    const { answer, passing } = await pass(sendAll, { silenceMaxMs, pauseMaxMs: 300 });
    await until("it has ended", () => passing.ended !== undefined);
    assert.equal(passing.ended, "the browser read nothing for 300 ms");
    answer.destroy();
  });

  it("ends when the browser leaves only the last bytes unread", async () => {
    const limits = { silenceMaxMs: 1000, pauseMaxMs: 300 };
    const { answer, passing } = await pass((...both) => void sendUntilFull(...both), limits);
    await until("it has ended", () => passing.ended !== undefined);
    assert.equal(passing.ended, "the browser read nothing for 300 ms");
    answer.destroy();
  });
});

/** Ends an answer when the connection of the browser takes no more, and a buffer is half full. */
async function sendUntilFull(response: ServerResponse, passing: Passing["passing"]): Promise<void> {
  const isFull = () => (passing.response?.writableLength ?? 0) > 0;
  for (let sent = 0; ; ) {
    response.write(Buffer.alloc(partBytes));
    sent += partBytes;
    await until("the part has passed", () => passing.bytes === sent);
    if (isFull()) await sleep(50);
    if (isFull()) break;
  }
  response.end();
}
