import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createLogger, openPool } from "@stowage/process";
import {
  createTestDatabase,
  type DatabaseRelay,
  relayDatabase,
  type TestDatabase,
} from "@stowage/process/testing";
import type pg from "pg";
import { RawClient } from "../postgres/raw-client.ts";
import { createFairPool, type DatabaseForCaller } from "./fair-pool.ts";
import { connectionsFor } from "./slots.ts";

const slots = 4;
const waitingMax = 400;
const greedy = { organisationId: "greedy", clientId: "greedy" };
const modest = { organisationId: "modest", clientId: "modest" };
const never = new AbortController().signal;

describe("a fair pool", () => {
  let testDatabase: TestDatabase;
  let relay: DatabaseRelay;
  let pool: pg.Pool;
  let cancelPool: pg.Pool;
  let poolOptions: Parameters<typeof createFairPool>[0];
  let databaseFor: DatabaseForCaller;
  let state: () => { waiting: number };
  let waits = 0;
  before(async () => {
    testDatabase = await createTestDatabase();
    relay = await relayDatabase(testDatabase.databaseUrl);
    const options = {
      databaseUrl: relay.databaseUrl,
      applicationName: "test",
      logger: createLogger({ name: "test", level: "silent" }),
    };
    pool = openPool({ ...options, connectionsMax: connectionsFor(slots), Client: RawClient });
    cancelPool = openPool({ ...options, connectionsMax: 2 });
    const metrics = {
      watchState: (_: string, read: typeof state) => {
        state = read;
      },
      waited: () => {
        waits += 1;
      },
    };
    poolOptions = {
      name: "test",
      pool,
      cancelPool,
      slots,
      waitingMax,
      tenantWeights: new Map(),
      metrics: metrics as never,
    };
    databaseFor = createFairPool(poolOptions);
  });
  after(async () => {
    await pool.end();
    await cancelPool.end();
    await relay.cut();
    await testDatabase.drop();
  });

  const read = (caller: typeof greedy, signal = never, seconds = 0) =>
    databaseFor(caller).read({ signal }, ({ run }) =>
      run("select pg_sleep(:seconds)", { seconds }),
    );

  /** Two callers together get every slot: none was lost, and none is held twice. */
  async function assertAllSlotsFree(): Promise<void> {
    await untilReturned();
    const stop = new AbortController();
    const reads = Array.from({ length: slots + 2 }, (_, index) =>
      read(index % 2 ? greedy : modest, stop.signal, 99),
    );
    const ended = Promise.allSettled(reads);
    await new Promise(setImmediate);
    assert.equal(state().waiting, 2);
    stop.abort(new Error("enough"));
    await ended;
    await untilReturned();
  }

  async function untilReturned(): Promise<void> {
    while (pool.idleCount < pool.totalCount) await new Promise(setImmediate);
  }

  it("has a connection for a caller who has none, and never waits in the pool", async () => {
    const stop = new AbortController();
    const sleeping = Array.from({ length: 50 }, () => read(greedy, stop.signal, 99));
    const ended = Promise.allSettled(sleeping);
    assert.equal((await read(modest)).length, 1);
    assert.deepEqual([state().waiting, pool.waitingCount], [50 - slots, 0]);
    stop.abort(new Error("enough"));
    assert.ok((await ended).every(({ status }) => status === "rejected"));
    assert.equal(waits, 51);
    await assertAllSlotsFree();
  });

  it("refuses a caller that has waited too long", async () => {
    const impatient = createFairPool({ ...poolOptions, waitMaxMs: 20 });
    const stop = new AbortController();
    const { signal } = stop;
    const sleeping = Promise.allSettled(
      Array.from({ length: slots }, () =>
        impatient(greedy).read({ signal }, ({ run }) => run("select pg_sleep(99)")),
      ),
    );
    const waiting = impatient(greedy).read({ signal }, ({ run }) => run("select"));
    await assert.rejects(waiting, { reason: "SERVER_BUSY" });
    assert.equal(state().waiting, 0);
    stop.abort(new Error("enough"));
    await sleeping;
    databaseFor = createFairPool(poolOptions);
    await assertAllSlotsFree();
  });

  it("ends a long call when an organisation without a connection waits", async () => {
    const revoking = createFairPool({ ...poolOptions, waitMaxMs: 1000, revocableAfterMs: 1 });
    const stop = new AbortController();
    /** Resolves with the reason for which the call ended. */
    const sleep = (caller: typeof greedy): Promise<string> =>
      revoking(caller)
        .read({ signal: stop.signal }, ({ run }) => run("select pg_sleep(99)"))
        .then(String, (error) => error.reason ?? error.message);
    const sleeping = Array.from({ length: slots }, () => sleep(greedy));
    const modestSleeping = sleep(modest);
    const newcomer = { organisationId: "newcomer", clientId: "newcomer" };
    await revoking(newcomer).read({ signal: stop.signal }, ({ run }) => run("select"));
    assert.equal(await Promise.race(sleeping), "SERVER_BUSY");
    stop.abort(new Error("enough"));
    assert.equal(await modestSleeping, "enough");
    const reasons = await Promise.all(sleeping);
    assert.deepEqual(reasons.sort(), ["SERVER_BUSY", "enough", "enough", "enough"]);
    databaseFor = createFairPool(poolOptions);
    await assertAllSlotsFree();
  });

  it("loses no slot to calls that end at any moment", async () => {
    const calls = Array.from({ length: 300 }, async (_, index) => {
      const stop = new AbortController();
      const reading = read(index % 3 ? greedy : modest, stop.signal, 0.001);
      const moments = [
        process.nextTick,
        setImmediate,
        (end: () => void) => setTimeout(end, index / 10),
      ];
      moments[index % 5]?.(() => stop.abort(new Error("gone")));
      return reading.catch((error) => assert.match(String(error), /gone|TOO_MANY|too many/));
    });
    await Promise.all(calls);
    await assertAllSlotsFree();
  });

  it("loses no slot to calls that end while they connect, or find no database", async () => {
    await relay.cut();
    const refused = await Promise.allSettled(Array.from({ length: 20 }, () => read(greedy)));
    for (const outcome of refused) {
      assert.ok(outcome.status === "rejected" && outcome.reason.reason === "DATABASE_UNAVAILABLE");
    }
    await relay.mend();
    relay.stall();
    const stop = new AbortController();
    const connecting = Promise.allSettled([read(greedy, stop.signal), read(modest, stop.signal)]);
    stop.abort(new Error("gone"));
    await connecting;
    await relay.mend();
    await assertAllSlotsFree();
  });
});
