/** Answers with content: of a directory that is gone, and of many that share few streams. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { BigIntStats } from "node:fs";
import { open, stat, writeFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeTemporaryFolder } from "@stowage/process/testing";
import type { DatabaseForCaller } from "../fairness/fair-pool.ts";
import { FairQueue } from "../fairness/fair-queue.ts";
import { listen } from "../http/listen.ts";
import type { Serve } from "../http/protocols/connect-protocol.ts";
import { callListener } from "../http/testing/call-listener.ts";
import { microsOfNanos } from "../model/timestamps.ts";
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
    removeDirectory: () => folder.remove(),
    failures: () => records.map(({ reason }) => reason).filter((reason) => reason !== "OK"),
    async ask(organisation: keyof typeof organisations, filename: string) {
      const link = {
        bucketId: organisations[organisation],
        uploadId: filename,
        expiresAtSeconds: Math.ceil(Date.now() / 1000) + 60,
        isAttachment: true,
      };
      const request = get(signedUrl(`http://${server.host}:${server.port}`, link, linkKey));
      const [response] = (await once(request, "response")) as [IncomingMessage];
      return response;
    },
    async [Symbol.asyncDispose]() {
      await server.close(0);
      await folder.remove();
    },
  };
}
