/** Trees are streamed: no process holds a whole one, and work stops when the caller leaves. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { constants as http2Constants } from "node:http2";
import { text } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { until } from "@stowage/process/testing";
import { readMemory } from "../testing/process-usage.ts";
import type { Tree } from "./model/messages.ts";
import type { Line } from "./model/records.ts";
import { bucketIds, bucketLine, callers } from "./samples/tenants.ts";
import { type TreeBackends, watchTreeBackends } from "./testing/database-activity.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { callJson, listUploads } from "./testing/json-caller.ts";
import { openTree, openTreeHttp2 } from "./testing/open-tree.ts";

const folderCount = 8000;
const nameLength = 10_000;
/** More than the socket buffers between service and caller hold. */
const answerBytesMin = folderCount * nameLength;

const lines: Line[] = [
  bucketLine("primary"),
  ...Array.from({ length: folderCount }, (_, index) => ({
    folder: {
      path: `/${String(index).padStart(4, "0")}`,
      // One upload is larger than any chunk.
      virtualFileName: String(index % 10).repeat(index === 4000 ? 1_000_000 : nameLength),
    },
  })),
  bucketLine("second"),
  { upload: { path: "/a", filename: "b", sizeBytes: 1 } },
];

describe("a tree that is larger than the socket buffers", () => {
  let deployment: Deployment;
  let backends: TreeBackends;
  before(async () => {
    deployment = await deploy({ lines, environment: { TREE_CONNECTIONS_MAX: "2" } });
    backends = await watchTreeBackends(deployment.databaseUrl);
  });
  after(async () => {
    await backends?.close();
    await deployment?.close();
  });

  const assertWhole = (answer: string) => {
    const tree = JSON.parse(answer) as Tree;
    assert.equal(tree.children.length, folderCount);
    for (const [index, { folder }] of tree.children.entries()) {
      assert.equal(folder.path, `/${String(index).padStart(4, "0")}`);
      assert.ok(folder.virtualFileName.length >= nameLength);
    }
  };

  // This test is the first, because a process keeps the memory that it once needed.
  it("needs little memory", async () => {
    await callJson(deployment.url, callToSecond(deployment));
    const peakBefore = await memoryPeakMiB(deployment);
    const responses = await Promise.all([openTree(deployment), openTree(deployment)]);
    await Promise.all(responses.map((response) => once(response.resume(), "end")));
    const growth = (await memoryPeakMiB(deployment)) - peakBefore;
    // Node allocates some 64 MiB of buffers before it collects unused ones.
    assert.ok(growth < 128, `grew by ${growth} MiB for two answers of ${answerBytesMin} bytes`);
  });

  it("starts before its last row is read, waits for its reader, and is complete", async () => {
    const response = await openTree(deployment);
    await once(response, "readable");
    await until("the database waits for the reader", backends.areReading);
    const answer = await text(response);
    assert.ok(answer.length > answerBytesMin);
    assertWhole(answer);
    await until("the database has nothing more to do", backends.areIdle);
  });

  it("is complete over HTTP/2", async () => {
    assertWhole(await text(await openTreeHttp2(deployment)));
  });

  for (const [encoding, decoder] of Object.entries({
    gzip: createGunzip,
    br: createBrotliDecompress,
  })) {
    it(`is complete in ${encoding}`, async () => {
      const headers = { "accept-encoding": encoding };
      const response = await openTree(deployment, { headers });
      assert.equal(response.headers["content-encoding"], encoding);
      assertWhole(await text(response.pipe(decoder())));
    });
  }

  it("does not delay lists, however many trees wait", async () => {
    const held = await Promise.all([openTree(deployment), openTree(deployment)]);
    const headers = { "connect-timeout-ms": "300" };
    const late = await openTree(deployment, { headers });
    assert.equal(late.statusCode, 504);
    late.destroy();
    const request = { bucketRef: { bucketId: bucketIds.second } };
    const list = await listUploads(deployment, callers.reader, request);
    assert.ok(!("error" in list));
    assert.equal(list.uploads.length, 1);
    for (const response of held) assertWhole(await text(response));
  });

  it("ends in the database when its reader disconnects", async () => {
    const response = await openTree(deployment);
    await until("the database is at it", backends.areReading);
    response.destroy();
    await until("the statement is over", backends.areIdle);
  });

  it("ends in the database when its reader disconnects over HTTP/2", async () => {
    const stream = await openTreeHttp2(deployment);
    await until("the database is at it", backends.areReading);
    stream.close(http2Constants.NGHTTP2_CANCEL);
    await until("the statement is over", backends.areIdle);
  });

  it("is aborted when its reader is too slow", async () => {
    const response = await openTree(deployment, { headers: { "connect-timeout-ms": "2000" } });
    assert.equal(response.statusCode, 200);
    await until("the statement is over", backends.areIdle);
    await assert.rejects(text(response));
  });

  it("is aborted when the database fails while it is read", async () => {
    const response = await openTree(deployment);
    await until("the database is at it", backends.areReading);
    await backends.end();
    const received: Buffer[] = [];
    await assert.rejects(async () => {
      for await (const chunk of response) received.push(chunk);
    });
    assert.throws(() => JSON.parse(Buffer.concat(received).toString()), SyntaxError);
    assert.equal((await callJson(deployment.url, callToSecond(deployment))).status, 200);
  });

  it("is aborted when the database fails while it is read, over HTTP/2", async () => {
    const stream = await openTreeHttp2(deployment);
    await until("the database is at it", backends.areReading);
    await backends.end();
    await assert.rejects(text(stream));
    assert.equal(stream.rstCode, http2Constants.NGHTTP2_INTERNAL_ERROR);
  });
});

function callToSecond({ issuer }: Deployment) {
  return {
    body: { bucketRef: { bucketId: bucketIds.second } },
    token: issuer.mint(callers.reader),
  };
}

async function memoryPeakMiB({ service }: Deployment): Promise<number> {
  const [workerId] = await service.workerIds();
  return (await readMemory(workerId ?? 0)).peakBytes / 2 ** 20;
}
