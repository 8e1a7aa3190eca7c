/** Shares: an organisation with many calls does not keep another from being served. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { until } from "@stowage/process/testing";
import { bucketLine, callers } from "./samples/tenants.ts";
import { type LockedTables, lockTables } from "./testing/database-activity.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import {
  callJson,
  type JsonAnswer,
  type JsonCall,
  listFolderTreePath,
  listUploadsPath,
  readError,
} from "./testing/json-caller.ts";

const greedyCalls = 64;
/** The places of all; a client has a quarter of them. */
const waitingCallsMax = 400;
const refusedCalls = 20;

const lines = (["primary", "foreign"] as const).flatMap((bucket) => [
  bucketLine(bucket),
  { upload: { path: "/folder", filename: `${bucket}.txt`, sizeBytes: 1 } },
]);
const filenames = { reader: "primary.txt", notes: "primary.txt", stranger: "foreign.txt" };

describe("with two connections for lists, and one for trees", () => {
  let deployment: Deployment;
  let tables: LockedTables | undefined;
  before(async () => {
    deployment = await deploy({
      lines,
      environment: {
        DATABASE_CONNECTIONS_MAX: "2",
        TREE_CONNECTIONS_MAX: "1",
        WAITING_CALLS_MAX: `${waitingCallsMax}`,
      },
    });
  });
  after(async () => {
    await tables?.unlock();
    await deployment?.close();
  });

  /** Calls, and keeps a list of whose answers have arrived. */
  function callsOf(path: string) {
    const answered: (keyof typeof filenames)[] = [];
    const call = async (caller: keyof typeof filenames, others: JsonCall = {}) => {
      const body = path === listUploadsPath ? {} : { includeUploads: true };
      const token = deployment.issuer.mint(callers[caller]);
      const answer = await callJson(deployment.url, { path, body, token, ...others });
      answered.push(caller);
      return answer;
    };
    const callOften = (caller: keyof typeof filenames, count: number, others?: JsonCall) =>
      Array.from({ length: count }, () => call(caller, others));
    return { answered, call, callOften };
  }

  function assertServed(answer: JsonAnswer, caller: keyof typeof filenames): void {
    assert.equal(answer.status, 200, answer.text);
    const names = [...answer.text.matchAll(/"filename":"([^"]*)"/g)].map(([, name]) => name);
    assert.deepEqual(names, [filenames[caller]]);
  }

  async function lock(): Promise<LockedTables> {
    tables = await lockTables(deployment.databaseUrl);
    return tables;
  }

  for (const [name, path, connections] of [
    ["lists", listUploadsPath, 2],
    ["trees", listFolderTreePath, 1],
  ] as const) {
    describe(name, () => {
      it("of another organisation are served at once beside 64 greedy calls", async () => {
        const { answered, call, callOften } = callsOf(path);
        const locked = await lock();
        const statements = async () => (await locked.statementsOfOthers()).length;
        const greedy = callOften("reader", greedyCalls);
        await until("one uses its share", async () => (await statements()) === connections);
        const other = call("stranger");
        await until("the other has a connection", async () => (await statements()) > connections);
        await locked.unlock();

        assertServed(await other, "stranger");
        const before = answered.indexOf("stranger");
        assert.ok(before < greedyCalls / 4, `${before} calls were answered before it`);
        for (const answer of await Promise.all(greedy)) assertServed(answer, "reader");
      });

      it("beyond a client's waiting places are refused, and those of others are not", async () => {
        const { call, callOften } = callsOf(path);
        const locked = await lock();
        const mayWait = waitingCallsMax / 4;
        const statements = async () => (await locked.statementsOfOthers()).length;
        // First these: while the other organisation is active, half of the connections is free.
        const running = callOften("reader", connections);
        await until("all connections are used", async () => (await statements()) === connections);
        const refusals: JsonAnswer[] = [];
        const greedy = callOften("reader", mayWait + refusedCalls).map(async (answering) => {
          const answer = await answering;
          if (answer.status !== 200) refusals.push(answer);
          return answer;
        });
        await until("the rest is refused", async () => refusals.length === refusedCalls);
        const other = call("stranger");
        await until("the other has a connection", async () => (await statements()) > connections);
        await locked.unlock();

        assertServed(await other, "stranger");
        for (const answer of await Promise.all([...running, ...greedy])) {
          if (!refusals.includes(answer)) assertServed(answer, "reader");
        }
        for (const answer of refusals) {
          const { status, code, reason } = readError(answer).error;
          const expected = [429, "resource_exhausted", "TOO_MANY_CALLS"];
          assert.deepEqual([status, code, reason], expected);
          assert.equal(answer.headers.get("retry-after"), "1");
        }
      });

      it("that are aborted give back their connections and places", async () => {
        const { call, callOften } = callsOf(path);
        const locked = await lock();
        const headers = { "connect-timeout-ms": "300" };
        const aborted = await Promise.all(callOften("reader", greedyCalls, { headers }));
        for (const answer of aborted) {
          assert.equal(readError(answer).error.reason, "DEADLINE_EXCEEDED");
        }
        await until("no statement runs", async () => {
          return (await locked.statementsOfOthers()).length === 0;
        });
        const calls = callOften("reader", connections);
        await until("all connections are used again", async () => {
          return (await locked.statementsOfOthers()).length === connections;
        });
        await locked.unlock();
        for (const answer of await Promise.all(calls)) assertServed(answer, "reader");
        assertServed(await call("stranger"), "stranger");
      });
    });
  }
});
