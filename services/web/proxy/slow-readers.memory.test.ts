import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { listen, until } from "@stowage/process/testing";
import { forwardAnswer } from "./forward-answer.ts";
import { Upstream } from "./upstream.ts";

const readers = 50;
const contentBytes = 5_000_000_000;
const memoryBytesMax = 32 * 1024 * 1024;
const chunk = Buffer.alloc(64 * 1024);

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** What is still in use after a garbage collection, in bytes. */
function memoryBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it("fifty downloads of 5 GB that nobody reads cost less than 32 MiB", async () => {
  let sentBytes = 0;
  const uploads = await listen(
    createServer((_, response) => {
      response.writeHead(200, { "content-length": contentBytes });
      const send = () => {
        do sentBytes += chunk.byteLength;
        while (response.write(chunk));
      };
      response.on("drain", send).on("error", () => undefined);
      send();
    }),
  );
  const upstream = new Upstream();
  const proxy = await listen(
    createServer(async (_, response) => {
      const { signal } = new AbortController();
      const headers = {};
      const answer = await upstream.open(new URL(uploads.url), "/", {
        method: "GET",
        headers,
        signal,
      });
      await forwardAnswer(answer, response, answer.headers).catch(() => undefined);
    }),
  );
  const before = memoryBytes();
  const answers = await Promise.all(
    Array.from({ length: readers }, async () => {
      const outgoing = request(proxy.url, { agent: false }).on("error", () => undefined);
      outgoing.end();
      const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
      return answer.on("error", () => undefined);
    }),
  );
  try {
    // Nothing more is sent once the buffers of the operating system are full.
    for (let earlier = -1; earlier !== sentBytes; await setTimeout(500)) earlier = sentBytes;
    assert.ok(sentBytes < readers * 64 * 1024 * 1024, `${sentBytes} bytes were sent`);
    // Freed buffers go with one of the next collections.
    await until("memory has grown by less than 32 MiB", () => {
      return memoryBytes() - before < memoryBytesMax;
    });
  } finally {
    for (const answer of answers) answer.destroy();
    await Promise.all([proxy.close(), uploads.close()]);
  }
});
