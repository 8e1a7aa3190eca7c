/** Readers of trees who are slow, who stop reading, and who hang up. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { constants as http2Constants } from "node:http2";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { until } from "@stowage/process/testing";
import { callHeaders } from "../testing/call-headers.ts";
import type { Tree } from "./model/messages.ts";
import type { Line } from "./model/records.ts";
import { bucketLine, callers } from "./samples/tenants.ts";
import { type TreeBackends, watchTreeBackends } from "./testing/database-activity.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { listFolderTreePath } from "./testing/json-caller.ts";
import { openTree, openTreeHttp2 } from "./testing/open-tree.ts";

const folderCount = 8000;
const timeoutMaxMs = 1500;
const sendProgressMs = 100;
/** Longer than a caller may pause, on a busy machine. */
const pauseMaxMs = 60_000;

/** Some 80 MB: more than the socket buffers between service and caller hold. */
const lines: Line[] = [
  bucketLine("primary"),
  ...Array.from({ length: folderCount }, (_, index) => ({
    folder: { path: `/${index}`, virtualFileName: "x".repeat(10_000) },
  })),
];

describe("a tree", () => {
  let deployment: Deployment;
  let backends: TreeBackends;
  before(async () => {
    const environment = {
      TIMEOUT_MAX_MS: String(timeoutMaxMs),
      SEND_PROGRESS_MS: String(sendProgressMs),
      LOG_LEVEL: "debug",
    };
    deployment = await deploy({ lines, environment });
    backends = await watchTreeBackends(deployment.databaseUrl);
  });
  after(async () => {
    await backends?.close();
    await deployment?.close();
  });

  for (const [protocol, open] of [
    ["HTTP/1.1", openTree],
    ["HTTP/2", openTreeHttp2],
  ] as const) {
    it(`is complete for a reader who takes longer than the work may, ${protocol}`, async () => {
      const response = await open(deployment);
      const startedMs = performance.now();
      const received: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of response) {
        received.push(chunk);
        bytes += chunk.length;
        // About 20 MB in a second.
        while (bytes > 20_000 * (performance.now() - startedMs)) await setTimeout(10);
      }
      assert.ok(performance.now() - startedMs > 2 * timeoutMaxMs);
      const tree = JSON.parse(Buffer.concat(received).toString()) as Tree;
      assert.equal(tree.children.length, folderCount);
      await until("the database has nothing more to do", backends.areIdle);
    });

    it(`ends in the database when its reader stops reading, ${protocol}`, async () => {
      const response = (await open(deployment)).on("error", () => {});
      await until("the database waits for the reader", backends.areReading);
      await until("the statement is over", backends.areIdle, pauseMaxMs);
      await assert.rejects(async () => {
        for await (const _ of response);
      });
    });
  }

  it("gives back its connection in time behind one that its caller reads slowly", async () => {
    const { url, issuer } = deployment;
    const caller = connect(Number(new URL(url).port), new URL(url).hostname).pause();
    const headers = {
      host: "a",
      "content-length": "2",
      ...callHeaders(issuer.mint(callers.reader)),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const request = `POST ${listFolderTreePath} HTTP/1.1\r\n${lines.join("")}\r\n{}`;
    caller.write(request + request);
    const countIs = (count: number) => async () => (await backends.count()) === count;
    await until("the database waits for both", countIs(2));
    let bytes = 0;
    // Some 20 MB in a second, which lets the first one go on.
    const reading = setInterval(() => {
      bytes += caller.read()?.length ?? 0;
    }, 3);
    await until("it waits for the first only", countIs(1));
    const bytesThen = bytes;
    await until("the first one goes on", () => bytes > bytesThen + 20_000_000);
    clearInterval(reading);
    caller.destroy();
    await until("every statement is over", backends.areIdle);
  });

  it("whose reader hangs up is no outage and no internal error", async () => {
    for (let call = 0; call < 10; call++) {
      const response = await openTree(deployment);
      await once(response, "readable");
      response.destroy();
      const stream = await openTreeHttp2(deployment);
      await once(stream, "readable");
      if (call % 2 === 0) stream.close(http2Constants.NGHTTP2_CANCEL);
      else stream.session?.destroy();
    }
    await until("every statement is over", backends.areIdle);
    assert.match(deployment.service.log(), /CANCELLED/);
    assert.doesNotMatch(deployment.service.log(), /DATABASE_UNAVAILABLE|INTERNAL/);
  });
});
