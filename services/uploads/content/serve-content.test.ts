/** Answers with content: of a directory that is gone, and of many that share few streams. */
import assert from "node:assert/strict";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import type { BigIntStats } from "node:fs";
import { open, readdir, readlink, stat, writeFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeTemporaryFolder, until } from "@stowage/process/testing";
import type { DatabaseForCaller } from "../fairness/fair-pool.ts";
import { FairQueue } from "../fairness/fair-queue.ts";
import { listen } from "../http/listen.ts";
import type { Serve } from "../http/protocols/connect-protocol.ts";
import { callListener } from "../http/testing/call-listener.ts";
import { microsOfNanos } from "../model/microseconds.ts";
import { mountSilent, silentIsMissing } from "../sources/testing/silent-file-system.ts";
import type { CallRecord } from "../telemetry/call-record.ts";
import type { Content } from "./find-content.ts";
import { serveContent } from "./serve-content.ts";
import { signedUrl } from "./signed-links.ts";

const linkKey = Buffer.alloc(32);
/** More than the system takes for a caller who does not read. */
const largeBytes = 256 * 1024 * 1024;
const organisations = {
  greedy: "00000000-0000-4000-8000-000000000001",
  newcomer: "00000000-0000-4000-8000-000000000002",
  another: "00000000-0000-4000-8000-000000000003",
};

describe("a stream of content that is held for long", () => {
  it("is cut off when an organisation without a stream waits", async () => {
    await using service = await startService();
    const held = await service.ask("greedy", "large");
    const newcomer = await service.ask("newcomer", "large");
    assert.equal(newcomer.statusCode, 200);

    const another = await service.ask("another", "small");
    assert.equal(another.statusCode, 200);
    another.resume();
    await once(another, "end");
    held.resume();
    await assert.rejects(once(held, "end"), { code: "ECONNRESET" });
    assert.equal(held.complete, false);
    assert.deepEqual(service.failures(), ["SERVER_BUSY"]);
    newcomer.destroy();
  });

  it("is not cut off when only organisations with streams wait", async () => {
    await using service = await startService();
    const held = await service.ask("greedy", "large");
    const next = await service.ask("greedy", "small");
    assert.equal(next.statusCode, 503);
    next.resume();
    held.destroy();
  });
});

describe("content of a directory that is gone, as when its disk is not mounted", () => {
  it("is unavailable, and may be asked for again soon", async () => {
    await using service = await startService();
    await service.removeDirectory();
    const { statusCode, headers } = (await service.ask("greedy", "small")).resume();
    assert.deepEqual([statusCode, headers["retry-after"]], [503, "1"]);
    assert.deepEqual(service.failures(), ["CONTENT_UNAVAILABLE"]);
  });
});

describe("content of a file system that does not answer", { skip: silentIsMissing }, () => {
  it("keeps neither its calls from ending in time, nor other files and DNS", async () => {
    await using service = await startService();
    await using other = await startService();
    const silent = await mountSilent(service.folder);
    const unanswered = async () => {
      const answer = await service.ask("greedy", "small", { "connect-timeout-ms": "100" });
      return answer.resume().statusCode;
    };
    try {
      for (let call = 0; call < 5; call++) assert.equal(await unanswered(), 504);
      await lookup("localhost");
      const answer = await other.ask("greedy", "small");
      assert.equal(answer.resume().statusCode, 200);
    } finally {
      await silent.unmount();
    }
    const isAnswered = async () =>
      (await service.ask("greedy", "small")).resume().statusCode === 200;
    await until("the directory can be read again", isAnswered);
    await until("all files are closed", async () => {
      const opened = await readdir("/proc/self/fd");
      const targets = opened.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => ""));
      return (await Promise.all(targets)).every((target) => !target.startsWith(service.folder));
    });
  });
});

/** A service with one stream and one for newcomers. Its index has two files of each bucket. */
async function startService() {
  const folder = await makeTemporaryFolder();
  await writeFile(join(folder.path, "small"), "five!");
  const large = await open(join(folder.path, "large"), "w");
  await large.truncate(largeBytes);
  await large.close();

  const found = new Map<string, BigIntStats>();
  for (const name of ["small", "large"]) {
    found.set(name, await stat(join(folder.path, name), { bigint: true }));
  }

  const find = async (organisationId: string, filename: string): Promise<Content> => {
    const { size, mtimeNs } = found.get(filename) as BigIntStats;
    return {
      bucketId: organisationId,
      organisationId,
      path: "/",
      filename,
      sizeBytes: Number(size),
      updatedAtMicros: microsOfNanos(mtimeNs),
      s3: undefined,
      mountPath: "/",
      location: { kind: "directory", directory: folder.path, exclude: [] },
    };
  };
  const streams = new FairQueue({
    slots: 1,
    reservedSlots: 1,
    waitingMax: 4,
    weightOf: () => 1,
    waitMaxMs: 1000,
    revocableAfterMs: 1,
  });
  const records: CallRecord[] = [];
  const content: Serve = (request, response, call) => {
    const [, , bucketId = "", filename = ""] = request.url?.split(/[/?]/) ?? [];
    const database = { read: () => find(bucketId, filename) };
    const serve = serveContent({
      validator: { validate: () => assert.fail("links need no token") },
      consumeRateLimit: undefined,
      databaseFor: (() => database) as unknown as DatabaseForCaller,
      streams,
      linkKey,
    });
    return serve(request, response, call);
  };
  const listener = callListener({ content, onCall: (record) => records.push(record) });
  const server = await listen({ host: "127.0.0.1", port: 0 }, listener);

  return {
    folder: folder.path,
    removeDirectory: () => folder.remove(),
    failures: () => records.map(({ reason }) => reason).filter((reason) => reason !== "OK"),
    async ask(organisation: keyof typeof organisations, filename: string, headers = {}) {
      const link = {
        bucketId: organisations[organisation],
        uploadId: filename,
        expiresAtSeconds: Math.ceil(Date.now() / 1000) + 60,
        isAttachment: true,
      };
      const url = signedUrl(`http://${server.host}:${server.port}`, link, linkKey);
      const request = get(url, { headers });
      const [response] = (await once(request, "response")) as [IncomingMessage];
      return response;
    },
    async [Symbol.asyncDispose]() {
      await server.close(0);
      await folder.remove();
    },
  };
}
