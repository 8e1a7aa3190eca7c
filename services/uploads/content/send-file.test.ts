import assert from "node:assert/strict";
import { once } from "node:events";
import { open, utimes, writeFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeTemporaryFolder } from "@stowage/process/testing";
import { listen } from "../http/listen.ts";
import { openCall } from "../http/running-call.ts";
import { microsOfNanos } from "../model/microseconds.ts";
import { CallRecord } from "../telemetry/call-record.ts";
import { sendFile } from "./send-file.ts";

const limits = { timeoutMaxMs: 60_000, sendProgressMs: 60_000 };
const sizeBytes = 5;

describe("an answer about a file that waits behind another answer", () => {
  const cases: readonly [answer: string, header: string][] = [
    ["not modified", "If-None-Match: *"],
    ["precondition failed", 'If-Match: "other"'],
    ["range not satisfiable", "Range: bytes=99-"],
    ["a range", "Range: bytes=1-2"],
    ["the file", "X-None: 0"],
  ];
  for (const [answer, header] of cases) {
    it(`ends when the caller goes away: ${answer}`, async () => {
      await using folder = await makeFile();
      const file = await open(folder.path);
      const begun = Promise.withResolvers<void>();
      const sent = Promise.withResolvers<unknown>();
      const server = await listen({ host: "127.0.0.1", port: 0 }, (request, response) => {
        // Of the first request, nothing is answered.
        if (request.url === "/first") return;
        const call = openCall(request.headers, response, limits, new CallRecord("a-request"));
        const indexed = { sizeBytes, updatedAtMicros: 0n };
        const content = { ...indexed, directory: folder.path, file, headers: {} };
        sendFile(request, response, call, content).then(sent.resolve, sent.resolve);
        begun.resolve();
      });
      try {
        const caller = connect(server.port, server.host);
        caller.write(`GET /first HTTP/1.1\r\nHost: a\r\n\r\n`);
        caller.write(`GET /second HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`);
        await begun.promise;
        caller.destroy();
        assert.match(String(await sent.promise), /the caller went away/);
      } finally {
        await server.close(0);
        await file.close();
      }
    });
  }
});

describe("a range of a file", () => {
  const range = "bytes=1-2";
  const updatedAtMicros = 1_700_000_000_700_000n;
  const earlierInThatSecond = 1_700_000_000_200_000n;

  it("is sent for GET only: HEAD is answered as if there were no range", async () => {
    for (const asked of [range, "bytes=99-"]) {
      const { status, headers } = await ask(updatedAtMicros, "HEAD", { range: asked });
      assert.equal(status, 200, asked);
      assert.equal(headers.get("content-length"), `${sizeBytes}`);
      assert.equal(headers.get("content-range"), null);
    }
    assert.equal((await ask(updatedAtMicros, "GET", { range })).status, 206);
  });

  it("is not sent to a caller who has another version of the same second", async () => {
    const { headers } = await ask(earlierInThatSecond, "GET");
    for (const validator of ["etag", "last-modified"]) {
      const condition = headers.get(validator) ?? "";
      const { status } = await ask(updatedAtMicros, "GET", { range, "if-range": condition });
      assert.equal(status, 200, validator);
    }
  });
});

describe("a file that the caller wants in one version only", () => {
  const updatedAtMicros = 1_700_000_000_700_000n;
  const inItsSecond = new Date(1_700_000_000_000).toUTCString();
  const before = new Date(1_699_999_999_000).toUTCString();

  it("is sent in this version, and refused in any other", async () => {
    const etag = (await ask(updatedAtMicros, "GET")).headers.get("etag") ?? "";
    const cases: readonly [status: number, headers: Record<string, string>][] = [
      [206, { "if-match": etag }],
      [206, { "if-match": `"other", ${etag}` }],
      [206, { "if-match": "*" }],
      [412, { "if-match": '"other"' }],
      [412, { "if-match": `W/${etag}` }],
      [206, { "if-unmodified-since": inItsSecond }],
      [412, { "if-unmodified-since": before }],
      [206, { "if-unmodified-since": "no date" }],
      [206, { "if-match": etag, "if-unmodified-since": before }],
      [412, { "if-match": '"other"', "if-none-match": etag }],
    ];
    for (const [status, headers] of cases) {
      const answer = await ask(updatedAtMicros, "GET", { range: "bytes=1-2", ...headers });
      assert.equal(answer.status, status, JSON.stringify(headers));
      assert.equal(answer.headers.get("etag"), etag);
    }
  });
});

describe("a large file", () => {
  it("takes few reads, each of which may take long on a disk in the network", async () => {
    await using folder = await makeFile();
    const file = await open(folder.path, "r+");
    const largeBytes = 8 * 1024 * 1024 + 1;
    await file.truncate(largeBytes);
    const updatedAtMicros = microsOfNanos((await file.stat({ bigint: true })).mtimeNs);
    let reads = 0;
    const counted = new Proxy(file, {
      get(target, name) {
        if (name === "read") reads += 1;
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const server = await listen({ host: "127.0.0.1", port: 0 }, (request, response) => {
      const call = openCall(request.headers, response, limits, new CallRecord("a-request"));
      const indexed = { sizeBytes: largeBytes, updatedAtMicros };
      const content = { ...indexed, directory: folder.path, file: counted, headers: {} };
      void sendFile(request, response, call, content);
    });
    try {
      const answer = await fetch(`http://${server.host}:${server.port}/`);
      assert.equal((await answer.arrayBuffer()).byteLength, largeBytes);
      assert.equal(reads, 17);
    } finally {
      await server.close(0);
      await file.close();
    }
  });
});

describe("a file that is rewritten while it is sent", () => {
  for (const [what, headers] of [
    ["the file", {}],
    ["a range", { range: "bytes=1-" }],
  ] as const) {
    it(`is not sent as if it were complete: ${what}`, async () => {
      await using folder = await makeFile();
      // More than the system takes for a caller who does not read.
      const file = await open(folder.path, "r+");
      const largeBytes = 64 * 1024 * 1024;
      await file.truncate(largeBytes);
      const updatedAtMicros = microsOfNanos((await file.stat({ bigint: true })).mtimeNs);
      const sent = Promise.withResolvers<unknown>();
      const server = await listen({ host: "127.0.0.1", port: 0 }, (request, response) => {
        const call = openCall(request.headers, response, limits, new CallRecord("a-request"));
        const indexed = { sizeBytes: largeBytes, updatedAtMicros };
        const content = { ...indexed, directory: folder.path, file, headers: {} };
        sendFile(request, response, call, content).then(sent.resolve, (error) => {
          sent.resolve(error);
          response.destroy();
        });
      });
      try {
        const request = get({ host: server.host, port: server.port, headers });
        const [answer] = (await once(request, "response")) as [IncomingMessage];
        await file.write("other content", 0);
        await utimes(folder.path, 2_000_000_000, 2_000_000_000);
        answer.resume();
        await assert.rejects(once(answer, "end"), { code: "ECONNRESET" });
        assert.match(String(await sent.promise), /the file was changed/);
      } finally {
        await server.close(0);
        await file.close();
      }
    });
  }
});

/** Asks for a file that was last changed then. */
async function ask(updatedAtMicros: bigint, method: string, headers = {}): Promise<Response> {
  await using folder = await makeFile();
  const updatedAtSeconds = Number(updatedAtMicros) / 1e6;
  await utimes(folder.path, updatedAtSeconds, updatedAtSeconds);
  const file = await open(folder.path);
  const server = await listen({ host: "127.0.0.1", port: 0 }, (request, response) => {
    const call = openCall(request.headers, response, limits, new CallRecord("a-request"));
    const indexed = { sizeBytes, updatedAtMicros };
    const content = { ...indexed, directory: folder.path, file, headers: {} };
    void sendFile(request, response, call, content);
  });
  try {
    const answer = await fetch(`http://${server.host}:${server.port}/`, { method, headers });
    await answer.arrayBuffer();
    return answer;
  } finally {
    await server.close(0);
    await file.close();
  }
}

async function makeFile() {
  const folder = await makeTemporaryFolder();
  const path = join(folder.path, "file");
  await writeFile(path, "x".repeat(sizeBytes));
  return { path, [Symbol.asyncDispose]: () => folder.remove() };
}
