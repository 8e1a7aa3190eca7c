/** Outages: the caller learns that the service is unavailable and when to retry, but no cause. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type DatabaseRelay, relayDatabase, until } from "@stowage/process/testing";
import { startIssuer } from "../testing/issuer.ts";
import { plainLines } from "./samples/plain.ts";
import { callers } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import {
  callJson,
  type JsonAnswer,
  listFolderTreePath,
  listUploadsPath,
  readError,
} from "./testing/json-caller.ts";

function assertUnavailable(answer: JsonAnswer, expectedReason: string): void {
  const { status, code, reason } = readError(answer).error;
  assert.deepEqual([status, code, reason], [503, "unavailable", expectedReason], answer.text);
  assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d{0,2}$/);
  assert.doesNotMatch(answer.text, /127\.0\.0\.1|ECONN|postgres|password|at \w+ \(/i);
}

describe("while the database is unreachable", () => {
  let database: DatabaseRelay;
  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({
      lines: plainLines,
      environmentFor: async (databaseUrl) => {
        database = await relayDatabase(databaseUrl);
        return { DATABASE_URL: database.databaseUrl };
      },
    });
  });
  after(async () => {
    try {
      await deployment?.close();
    } finally {
      await database?.cut();
    }
  });

  const call = (path: string) =>
    callJson(deployment.url, { path, token: deployment.issuer.mint(callers.reader) });

  it("both operations are unavailable, and recover when it is back", async () => {
    for (const path of [listUploadsPath, listFolderTreePath]) {
      assert.equal((await call(path)).status, 200);
      await database.cut();
      assertUnavailable(await call(path), "DATABASE_UNAVAILABLE");
      assertUnavailable(await call(path), "DATABASE_UNAVAILABLE");
      await database.mend();
      await until("the service answers", async () => (await call(path)).status === 200);
    }
  });

  it("a database that does not answer keeps no caller past its deadline", async () => {
    assert.equal((await call(listUploadsPath)).status, 200);
    database.stall();
    const headers = { "connect-timeout-ms": "700" };
    const token = deployment.issuer.mint(callers.reader);
    const limited = callJson(deployment.url, { headers, token });
    const unlimited = call(listUploadsPath);
    const { error } = readError(await limited);
    assert.ok(["deadline_exceeded", "unavailable"].includes(error.code), error.code);
    await database.cut();
    assertUnavailable(await unlimited, "DATABASE_UNAVAILABLE");
    await database.mend();
    await until("the service answers", async () => (await call(listUploadsPath)).status === 200);
  });

  it("the service keeps running and reports that it is not ready", async () => {
    const statusOf = async (path: string) => (await fetch(new URL(path, deployment.url))).status;
    assert.equal(await statusOf("/readyz"), 200);
    await database.cut();
    assert.equal(await statusOf("/healthz"), 200);
    await until("it is not ready", async () => (await statusOf("/readyz")) === 503);
    await database.mend();
    await until("it is ready", async () => (await statusOf("/readyz")) === 200);
  });

  it("invalid tokens are still rejected as such", async () => {
    await database.cut();
    const token = deployment.issuer.mint(callers.reader, { exp: 1 });
    assert.equal((await callJson(deployment.url, { token })).status, 401);
    await database.mend();
  });
});

describe("while the issuer is unreachable", () => {
  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({ lines: plainLines });
  });
  after(() => deployment?.close());

  const call = (token: string) => callJson(deployment.url, { token });

  it("cached keys still work, and others are unavailable", async () => {
    const { issuer } = deployment;
    const other = await startIssuer();
    try {
      assert.equal((await call(issuer.mint(callers.reader))).status, 200);
      await issuer.pause();
      assert.equal((await call(issuer.mint(callers.reader))).status, 200);
      const unknown = other.mint(callers.reader, { iss: issuer.url });
      assertUnavailable(await call(unknown), "KEY_SET_UNAVAILABLE");
    } finally {
      await other.close();
    }
  });
});
