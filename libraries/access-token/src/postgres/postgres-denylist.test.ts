import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { FakeClock, settled } from "../../testing/fake-clock.ts";
import { FakePostgres } from "../../testing/fake-postgres.ts";
import type { AccessToken } from "../access-token.ts";
import type { DenylistEvent, PostgresDenylistOptions } from "./denylist-options.ts";
import { DenylistPoller } from "./denylist-poller.ts";
import { DenylistReplica } from "./denylist-replica.ts";
import { createPostgresDenylist, postgresDenylist } from "./postgres-denylist.ts";

const token = { tokenId: "t1" } as AccessToken;

async function start(test: TestContext, options: Partial<PostgresDenylistOptions> = {}) {
  const clock = new FakeClock();
  const postgres = new FakePostgres();
  const events: DenylistEvent[] = [];
  const denylist = createPostgresDenylist(
    {
      createClient: postgres.createClient,
      pool: postgres.createClient(),
      onEvent: (event) => events.push(event),
      ...options,
    },
    clock,
  );
  const close = async () => {
    const closing = denylist.close();
    await settled();
    await clock.advance(1000);
    await closing;
    assert.equal(postgres.open.size, 0, "connections are left");
    assert.equal(clock.timers, 0, "timers are left");
  };
  test.after(close);
  await settled();
  const reads = () => postgres.requests.filter((request) => request === "select").length;
  /** Types of the events since the last time. */
  const told = () => events.splice(0).map(({ type }) => type);
  return { clock, postgres, denylist, reads, told, close, events };
}

describe("a denylist in PostgreSQL", () => {
  it("reads every second and when notified, but not for every notification", async (test) => {
    const { clock, postgres, reads, told } = await start(test);
    assert.deepEqual(told(), ["loaded", "current"]);
    await clock.advance(10_000);
    assert.equal(reads(), 11);
    assert.deepEqual([...new Set(told())], ["read"]);
    for (let i = 0; i < 1000; i++) {
      await postgres.notify();
      await clock.advance(1);
    }
    assert.equal(reads(), 11 + 1000 / 50);
    assert.deepEqual(postgres.requests.slice(0, 2), ["connect", "listen"]);
  });

  it("retries after a failure, with growing delays and one connection at a time", async (test) => {
    const { clock, postgres, told } = await start(test);
    postgres.behaviour.select = "fail";
    const begun = () => postgres.requests.filter((request) => request === "connect").length;
    await clock.advance(1_000);
    assert.deepEqual(told(), ["loaded", "current", "failed"]);
    await clock.advance(700);
    assert(begun() >= 4, `${begun()} connections in 0.7 s`);
    const before = begun();
    await clock.advance(20_000);
    const more = begun() - before;
    assert(more >= 10 && more <= 22, `${more} connections in 20 s`);
    assert.equal(postgres.openMax, 1);
    postgres.behaviour.select = "answer";
    told();
    await clock.advance(2_000);
    assert.deepEqual(told().slice(0, 2), ["loaded", "current"]);
  });

  for (const asked of ["connect", "listen", "select"]) {
    it(`closes a connection whose ${asked} hangs`, async (test) => {
      const { clock, postgres, denylist, events } = await start(test);
      await postgres.breakAll("connection reset");
      postgres.behaviour[asked] = "hang";
      events.length = 0;
      await clock.advance(100);
      await clock.advance(4_100);
      const errors = events.flatMap((event) =>
        event.type === "failed" ? [event.error.message] : [],
      );
      const noAnswer = "Cannot reach PostgreSQL: no answer within 4000 ms";
      assert.deepEqual(errors.slice(0, 2), ["connection reset", noAnswer]);
      postgres.behaviour[asked] = "answer";
      await clock.advance(1_000);
      assert.equal(postgres.openMax, 1);
      assert(denylist.lagMs <= 1_000);
    });
  }

  it("replaces a connection that breaks while it is idle", async (test) => {
    const { clock, postgres, told, denylist } = await start(test);
    await clock.advance(500);
    told();
    await postgres.breakAll("terminating connection due to administrator command");
    await clock.advance(200);
    assert.deepEqual(told(), ["failed", "loaded"]);
    assert(denylist.lagMs < 200);
  });

  it("retries when createClient throws", async (test) => {
    let isMade = false;
    const postgres = new FakePostgres();
    const createClient = () => {
      if (!isMade) throw new Error("no such file");
      return postgres.createClient();
    };
    const { clock, denylist, told } = await start(test, { createClient });
    await clock.advance(3_000);
    assert.equal(denylist.lagMs, Number.POSITIVE_INFINITY);
    assert.deepEqual([...new Set(told())], ["failed"]);
    isMade = true;
    await clock.advance(2_000);
    assert.deepEqual(told().slice(0, 2), ["loaded", "current"]);
  });

  it("refuses while it is behind, with the time to retry after", async (test) => {
    const { clock, postgres, denylist, told, events } = await start(test, { lagMaxMs: 3_000 });
    denylist.check(token, "key-1");
    postgres.behaviour.select = "fail";
    await clock.advance(2_999);
    denylist.check(token, "key-1");
    told();
    await clock.advance(2);
    assert.throws(() => denylist.check(token, "key-1"), {
      name: "TokenRefusedError",
      reason: "DENYLIST_UNAVAILABLE",
      status: 503,
      retryAfterSeconds: 2,
      detail: "the denylist is more than 3000 ms behind",
      cause: new Error("select failed"),
    });
    const behind = events.find((event) => event.type === "behind");
    assert.deepEqual(behind, { type: "behind", lagMs: 3_000, error: new Error("select failed") });
    await clock.advance(100_000);
    assert.deepEqual(
      told().filter((type) => type !== "failed"),
      ["behind"],
    );
    postgres.behaviour.select = "answer";
    await clock.advance(2_000);
    denylist.check(token, "key-1");
    assert.deepEqual(
      told()
        .filter((type) => type !== "failed")
        .slice(0, 2),
      ["loaded", "current"],
    );
  });

  it("before the first load, refuses by default, or accepts if told to serve", async (test) => {
    const postgres = new FakePostgres();
    postgres.behaviour.connect = "hang";
    const { createClient } = postgres;
    const refusing = await start(test, { createClient });
    assert.throws(() => refusing.denylist.check(token, "key-1"), {
      reason: "DENYLIST_UNAVAILABLE",
      detail: "the denylist was never read",
    });
    const serving = await start(test, { createClient, whenBehind: "serve" });
    serving.denylist.check(token, "key-1");
  });

  for (const whenBehind of ["refuse", "serve"] as const) {
    it(`with whenBehind ${whenBehind}, refuses known entries however far behind`, async (test) => {
      const { clock, postgres, denylist } = await start(test, { whenBehind });
      await denylist.add({ kind: "jti", value: "t1" });
      postgres.behaviour.select = "fail";
      await clock.advance(100_000);
      assert.throws(() => denylist.check(token, "key-1"), { reason: "TOKEN_REVOKED" });
    });
  }

  it("adds an entry, or rejects within 5 s", async (test) => {
    const pool = new FakePostgres();
    const { clock, denylist } = await start(test, { pool: pool.createClient() });
    pool.behaviour.with = "hang";
    const adding = denylist.add({ kind: "jti", value: "t1" });
    await clock.advance(4_999);
    denylist.check(token, "key-1");
    const message = "Cannot revoke: PostgreSQL gave no answer within 5000 ms";
    const refused = assert.rejects(adding, { message, code: "ETIMEDOUT" });
    await clock.advance(1);
    await refused;
    pool.behaviour.with = "fail";
    await assert.rejects(denylist.add({ kind: "jti", value: "t1" }), /^Error: with failed$/);
    denylist.check(token, "key-1");
    await assert.rejects(denylist.add({ kind: "jti", value: "" }), TypeError);
    pool.behaviour.with = "answer";
    await denylist.add({ kind: "jti", value: "t1" });
    assert.throws(() => denylist.check(token, "key-1"), { reason: "TOKEN_REVOKED" });
  });

  for (const asked of ["connect", "listen", "select", "end"]) {
    it(`ends while its ${asked} hangs`, async (test) => {
      const { clock, postgres, close, denylist, told } = await start(test);
      postgres.behaviour[asked] = "hang";
      await postgres.breakAll("connection reset");
      await clock.advance(200);
      told();
      await close();
      await clock.advance(60_000);
      assert.deepEqual(told(), []);
      assert.equal(denylist.lagMs, Number.POSITIVE_INFINITY);
      assert.throws(() => denylist.check(token, "key-1"), { reason: "DENYLIST_UNAVAILABLE" });
    });
  }

  it("when closed, rejects those who wait for the first load", async (test) => {
    const postgres = new FakePostgres();
    postgres.behaviour.connect = "hang";
    const { denylist, close } = await start(test, { createClient: postgres.createClient });
    const waiting = assert.rejects(denylist.whenCurrent(), /it is closed$/);
    await close();
    await waiting;
    await assert.rejects(denylist.whenCurrent(), /it is closed$/);
  });

  it("ends connections of a driver without access to the stream", async (test) => {
    const postgres = new FakePostgres();
    const createClient = () => Object.assign(postgres.createClient(), { connection: undefined });
    const { clock } = await start(test, { createClient });
    postgres.behaviour.select = "hang";
    await clock.advance(10_000);
    assert(postgres.requests.filter((request) => request === "end").length >= 2);
    assert.equal(postgres.openMax, 1);
    postgres.behaviour.select = "answer";
    await clock.advance(5_000);
  });

  it("retries only after a while when there are too many entries", async () => {
    const clock = new FakeClock();
    const postgres = new FakePostgres();
    postgres.rows = [
      ["1", "1", "jti", "a", null, null],
      ["1", "2", "jti", "b", null, null],
    ];
    const failures: Error[] = [];
    const poller = new DenylistPoller({
      createClient: postgres.createClient,
      clock,
      pollIntervalMs: 1000,
      entries: new DenylistReplica(Date.now, 1),
      onRead: () => assert.fail("read"),
      onFailure: (error) => failures.push(error),
    });
    await settled();
    await clock.advance(95_000);
    assert.deepEqual(
      failures.map(({ message }) => message),
      Array(4).fill("Cannot hold the denylist: it has more than 1 entries"),
    );
    await poller.close();
  });

  it("throws for invalid options", () => {
    const good = {
      createClient: () => assert.fail("called"),
      pool: new FakePostgres().createClient(),
    };
    const faulty: [options: object, fault: RegExp][] = [
      [{ createClient: undefined }, /createClient must be a function$/],
      [{ pool: undefined }, /pool must be an object with query\(\)$/],
      [{ pollIntervalMs: 99 }, /pollIntervalMs must be from 100 to 60000$/],
      [{ pollIntervalMs: Number.NaN }, /pollIntervalMs must be from 100 to 60000$/],
      [{ lagMaxMs: 1_999 }, /lagMaxMs must be from twice pollIntervalMs to 86400000$/],
      [{ lagMaxMs: Number.POSITIVE_INFINITY }, /lagMaxMs must be from twice pollIntervalMs to /],
      [{ whenBehind: "guess" }, /whenBehind must be refuse or serve$/],
      [{ now: 5 }, /now must be a function$/],
      [{ onEvent: "log" }, /onEvent must be a function$/],
      [{ lagMs: 500 }, /there is no option lagMs$/],
    ];
    for (const [options, message] of faulty) {
      assert.throws(() => postgresDenylist({ ...good, ...options } as never), {
        name: "TypeError",
        message,
      });
    }
  });
});
