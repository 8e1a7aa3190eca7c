import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { relayDatabase } from "@stowage/process/testing";
import pg from "pg";
import { openDenylistDatabase } from "../../testing/denylist-database.ts";
import { until } from "../../testing/until.ts";
import { steadyClock } from "../clock.ts";
import { prepareDenylist } from "./denylist-table.ts";
import { createPostgresDenylist } from "./postgres-denylist.ts";

/** A clock whose timers can be counted. */
function countingClock() {
  const timers = new Set<object>();
  const after = (delayMs: number, action: () => void) => {
    const timer = {};
    timers.add(timer);
    const stop = steadyClock.after(delayMs, () => {
      timers.delete(timer);
      action();
    });
    return () => {
      timers.delete(timer);
      stop();
    };
  };
  return { timers, now: steadyClock.now, after, afterInBackground: after };
}

async function open(test: TestContext, pass: (moment: string) => void = () => undefined) {
  const database = await openDenylistDatabase(test, prepareDenylist);
  const relay = await relayDatabase(database.databaseUrl);
  test.after(() => relay.cut());
  const clock = countingClock();
  const start = () =>
    createPostgresDenylist(
      {
        createClient: () => passing(new pg.Client({ connectionString: relay.databaseUrl }), pass),
        pool: database.pool,
        pollIntervalMs: 100,
        onEvent: ({ type }) => pass(type),
      },
      clock,
    );
  const assertNothingLeft = async () => {
    assert.equal(clock.timers.size, 0);
    await relay.mend();
    await until(() => relay.connections === 0);
  };
  return { relay, start, assertNothingLeft };
}

/** Calls back before each request of the client, and after each answer. */
function passing(client: pg.Client, pass: (moment: string) => void): pg.Client {
  const { connect, query } = client;
  const telling = async (what: string, ask: () => unknown) => {
    pass(what);
    const answer = await ask();
    pass(`answer to ${what}`);
    return answer;
  };
  return Object.assign(client, {
    connect: () => telling("connect", () => Reflect.apply(connect, client, [])),
    query: (text: string, values: unknown[]) =>
      telling(/\w+/.exec(text)?.[0] ?? "", () => Reflect.apply(query, client, [text, values])),
  });
}

describe("a denylist that is closed", () => {
  const moments = ["connect", "listen", "select"].flatMap((what) => [what, `answer to ${what}`]);
  for (const moment of moments) {
    it(`at the ${moment} leaves neither a connection nor a timer`, async (test) => {
      const reached = Promise.withResolvers<void>();
      const pass = (passed: string) => void (passed === moment && reached.resolve());
      const { start, assertNothingLeft } = await open(test, pass);
      const denylist = start();
      await reached.promise;
      await denylist.close();
      await assertNothingLeft();
    });
  }

  it("between two reads leaves neither", async (test) => {
    const { start, assertNothingLeft } = await open(test);
    const denylist = start();
    await denylist.whenCurrent();
    await denylist.close();
    await denylist.close();
    await assertNothingLeft();
  });

  it("while the server does not accept the connection leaves neither", async (test) => {
    const { relay, start, assertNothingLeft } = await open(test);
    relay.stall();
    const denylist = start();
    await until(() => relay.connections === 1);
    await denylist.close();
    await assertNothingLeft();
  });

  it("while the server does not answer leaves neither", async (test) => {
    const { relay, start, assertNothingLeft } = await open(test);
    const denylist = start();
    await denylist.whenCurrent();
    relay.stall();
    await until(() => denylist.lagMs > 200);
    await denylist.close();
    await assertNothingLeft();
  });

  it("between two tries leaves neither", async (test) => {
    const reached = Promise.withResolvers<void>();
    const pass = (passed: string) => void (passed === "failed" && reached.resolve());
    const { relay, start, assertNothingLeft } = await open(test, pass);
    await relay.cut();
    const denylist = start();
    await reached.promise;
    await denylist.close();
    await assertNothingLeft();
  });
});
