/** Deadlines: the caller gets an error, and the database cancels the statement. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { until } from "@stowage/process/testing";
import { callHeaders } from "../testing/call-headers.ts";
import { plainLines } from "./samples/plain.ts";
import { callers } from "./samples/tenants.ts";
import { type LockedTables, lockTables } from "./testing/database-activity.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { callJson, listFolderTreePath, listUploadsPath, readError } from "./testing/json-caller.ts";

describe("a statement that waits", () => {
  let deployment: Deployment;
  let tables: LockedTables;
  before(async () => {
    deployment = await deploy({ lines: plainLines });
  });
  after(() => deployment?.close());
  beforeEach(async () => {
    tables = await lockTables(deployment.databaseUrl);
  });
  afterEach(() => tables.unlock());

  const call = (path: string, timeoutMs: number) => {
    const headers = { "connect-timeout-ms": String(timeoutMs) };
    const token = deployment.issuer.mint(callers.reader);
    return callJson(deployment.url, { path, headers, token });
  };

  const isIdle = async () => (await tables.statementsOfOthers()).length === 0;
  const isBusy = async () => !(await isIdle());

  for (const path of [listUploadsPath, listFolderTreePath]) {
    it(`is cancelled when the caller's time runs out, by ${path}`, async () => {
      const started = performance.now();
      const answer = await call(path, 500);
      const { status, code, reason } = readError(answer).error;
      const expected = [504, "deadline_exceeded", "DEADLINE_EXCEEDED"];
      assert.deepEqual([status, code, reason], expected);
      assert.ok(performance.now() - started >= 490, "the caller got the time it asked for");
      await until("the statement is cancelled", isIdle);
    });
  }

  it("is cancelled when the time of a gRPC-Web call runs out, and the caller is told", async () => {
    for (const timeout of ["300m", "0n"]) {
      const answer = await fetch(new URL(listUploadsPath, deployment.url), {
        method: "POST",
        headers: {
          authorization: `Bearer ${deployment.issuer.mint(callers.reader)}`,
          "content-type": "application/grpc-web+proto",
          "grpc-timeout": timeout,
        },
        // An empty message.
        body: new Uint8Array(5),
      });
      assert.equal(answer.status, 200);
      const trailers = await answer.text();
      assert.match(answer.headers.get("grpc-status") ?? trailers, /^4$|grpc-status: 4\r\n/);
    }
    await until("the statement is cancelled", isIdle);
  });

  it("is cancelled for many callers at once, and the service still answers others", async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => call(listUploadsPath, 400)));
    const codes = new Set(answers.map((answer) => readError(answer).error.code));
    assert.deepEqual([...codes], ["deadline_exceeded"]);
    await until("every statement is cancelled", isIdle);
    await tables.unlock();
    assert.equal((await call(listUploadsPath, 5000)).status, 200);
  });

  it("is cancelled when the caller disconnects", async () => {
    const waiting = request(new URL(listUploadsPath, deployment.url), {
      method: "POST",
      headers: callHeaders(deployment.issuer.mint(callers.reader)),
    });
    waiting.end("{}");
    await until("the statement waits", isBusy);
    const failed = once(waiting, "error").catch(() => {});
    waiting.destroy();
    await failed;
    await until("the statement is cancelled", isIdle);
  });
});
