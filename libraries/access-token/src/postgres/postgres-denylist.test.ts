import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { FakeClock, settled } from "../../testing/fake-clock.ts";
import type { AccessToken } from "../access-token.ts";
import type { DenylistEvent, PostgresDenylistOptions } from "./denylist-options.ts";
import { createPostgresDenylist, postgresDenylist } from "./postgres-denylist.ts";

const token = { tokenId: "t1" } as AccessToken;
const page = { isStandby: "false", readAt: "1000", rows: "[]" };

/** A denylist whose database does what the test says. */
async function start(test: TestContext, options: Partial<PostgresDenylistOptions> = {}) {
  const clock = new FakeClock();
  const database = { behaviour: "answer" as "answer" | "fail", asked: 0 };
  const events: DenylistEvent[] = [];
  const pool = {
    async query() {
      database.asked += 1;
      if (database.behaviour === "fail") throw new Error("select failed");
      return { rows: [page] };
    },
  };
  const onEvent = (event: DenylistEvent) => void events.push(event);
  const denylist = createPostgresDenylist({ pool, onEvent, ...options }, clock);
  test.after(async () => {
    await denylist.close();
    assert.equal(clock.timers, 0, "timers are left");
  });
  await settled();
  /** Types of the events since the last time. */
  const told = () => events.splice(0).map(({ type }) => type);
  return { clock, database, denylist, events, told };
}

describe("a denylist in PostgreSQL", () => {
  it("is read every second, also after failures", async (test) => {
    const { clock, database, told } = await start(test);
    assert.deepEqual(told(), ["read", "current"]);
    await clock.advance(10_000);
    assert.equal(database.asked, 11);
    database.behaviour = "fail";
    await clock.advance(3_000);
    assert.equal(database.asked, 14);
    assert.deepEqual(told().slice(-3), ["failed", "failed", "failed"]);
    database.behaviour = "answer";
    await clock.advance(1_000);
    assert.deepEqual(told(), ["read"]);
  });

  it("refuses while it is behind, with the time to retry after", async (test) => {
    const { clock, database, denylist, told, events } = await start(test, { lagMaxMs: 3_000 });
    denylist.check(token, "key-1");
    database.behaviour = "fail";
    await clock.advance(2_999);
    denylist.check(token, "key-1");
    told();
    await clock.advance(1_001);
    assert.throws(() => denylist.check(token, "key-1"), {
      name: "TokenRefusedError",
      reason: "DENYLIST_UNAVAILABLE",
      status: 503,
      retryAfterSeconds: 2,
      detail: "the denylist is more than 3000 ms behind",
      cause: new Error("select failed"),
    });
    const behind = events.find((event) => event.type === "behind");
    assert.deepEqual(behind, { type: "behind", lagMs: 4_000, error: new Error("select failed") });
    database.behaviour = "answer";
    told();
    await clock.advance(1_000);
    assert.deepEqual(told(), ["read", "current"]);
    denylist.check(token, "key-1");
  });

  it("refuses or accepts tokens before the first read, as it is told", async (test) => {
    const broken = { query: () => Promise.reject(new Error("select failed")) };
    const { denylist } = await start(test, { pool: broken });
    assert.throws(() => denylist.check(token, "key-1"), {
      reason: "DENYLIST_UNAVAILABLE",
      detail: "the denylist was never read",
    });
    const other = await start(test, { pool: broken, whenBehind: "serve" });
    other.denylist.check(token, "key-1");
  });

  it("adds an entry here at once, and rejects when that fails", async (test) => {
    const { database, denylist } = await start(test);
    await denylist.add({ kind: "jti", value: "t1" });
    assert.throws(() => denylist.check(token, "key-1"), { reason: "TOKEN_REVOKED" });
    database.behaviour = "fail";
    await assert.rejects(denylist.add({ kind: "jti", value: "t2" }), /select failed/);
    denylist.check({ tokenId: "t2" } as AccessToken, "key-1");
    await assert.rejects(denylist.add({ kind: "jti", value: "" }), TypeError);
  });

  it("says when it is current, unless it is closed first", async (test) => {
    const { denylist } = await start(test);
    await denylist.whenCurrent();
    const broken = { query: () => Promise.reject(new Error("select failed")) };
    const other = await start(test, { pool: broken });
    other.told();
    const waiting = assert.rejects(other.denylist.whenCurrent(), /it is closed$/);
    await other.denylist.close();
    await waiting;
    await assert.rejects(other.denylist.whenCurrent(), /it is closed$/);
    assert.equal(other.denylist.lagMs, Number.POSITIVE_INFINITY);
    assert.deepEqual(other.told(), [], "events after the end");
  });

  it("throws for invalid options", () => {
    const pool = { query: () => assert.fail("called") };
    const faulty: [options: object, fault: RegExp][] = [
      [{ pool: undefined }, /pool must be an object with query\(\)$/],
      [{ lagMaxMs: 1_999 }, /lagMaxMs must be from 2000 to 86400000$/],
      [{ lagMaxMs: Number.POSITIVE_INFINITY }, /lagMaxMs must be from 2000 to /],
      [{ lagMaxMs: Number.NaN }, /lagMaxMs must be from 2000 to /],
      [{ whenBehind: "guess" }, /whenBehind must be refuse or serve$/],
      [{ now: 5 }, /now must be a function$/],
      [{ onEvent: "log" }, /onEvent must be a function$/],
      [{ lagMs: 500 }, /there is no option lagMs$/],
    ];
    for (const [options, message] of faulty) {
      assert.throws(() => postgresDenylist({ pool, ...options } as never), {
        name: "TypeError",
        message,
      });
    }
  });
});
