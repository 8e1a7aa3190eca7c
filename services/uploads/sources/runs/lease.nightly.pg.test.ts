import assert from "node:assert/strict";
import { once } from "node:events";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { select, withConnection } from "../../import/testing/import.ts";
import { findSource } from "../source.ts";
import type { FakeStore } from "../testing/fake-store.ts";
import {
  addSource,
  bucketId,
  contentsOf,
  type RunsTest,
  readIndex,
  runFake,
  startRunsTest,
} from "../testing/source-runs.ts";
import { acquireLease } from "./lease.ts";
import { openRun, readRun, updateRun } from "./run.ts";

let test: RunsTest;
let database: TestDatabase;
let pool: pg.Pool;
let store: FakeStore;
beforeEach(async () => {
  test = await startRunsTest();
  ({ database, pool, store } = test);
  for (let number = 0; number < 30; number++) store.put(`a/${number}`, 1);
  await addSource(database.databaseUrl, "photos");
});
afterEach(() => test.close());

/** Runs `during` while a run waits for its second page. */
async function whileRunning(
  during: (run: Promise<unknown>, release: () => void) => Promise<void>,
): Promise<void> {
  const held = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const { lister } = store;
  store.lister = (options) => {
    const inner = lister.call(store, options);
    return {
      ...inner,
      async *list(range, signal) {
        for await (const page of inner.list(range, signal)) {
          yield page;
          reached.resolve();
          await held.promise;
        }
      },
    };
  };
  const run = runFake(pool, "photos", store, { leaseMs: 1000 });
  run.catch(() => undefined);
  await reached.promise;
  store.lister = lister;
  try {
    await during(run, held.resolve);
  } finally {
    held.resolve();
    await run.catch(() => undefined);
  }
}

const expire = "update uploads.sources set lease_holder = 'a dead process', lease_until = now()";

describe("of two runs of a source at once", () => {
  for (const waits of [true, false]) {
    const when = waits ? ", when it has seen a sign of life" : "";
    it(`the second says who runs the first${when}`, () =>
      whileRunning(async (first) => {
        await assert.rejects(
          runFake(pool, "photos", store, { waitsForLease: waits, leaseMs: 60_000 }),
          {
            name: "SourceBusyError",
            message: new RegExp(`^Cannot run photos: process ${process.pid} on .* since 2`),
          },
        );
        assert.equal(await Promise.race([first, "runs"]), "runs");
      }));
  }
});

it("a source that its holder releases while another process asks for it is run", async () => {
  const take = "update uploads.sources set lease_holder = 'another', lease_until = 'infinity'";
  const release = "update uploads.sources set lease_holder = null, lease_until = null";
  await select(database.databaseUrl, take);
  const { sourceId } = await findSource(pool, "photos");
  const releasing = {
    async query(text: string, values: unknown[]) {
      const result = await pool.query(text, values);
      await pool.query(`${release} where lease_holder = 'another'`);
      return result;
    },
  };
  const source = { bucketId, sourceId, name: "photos" };
  const { signal } = new AbortController();
  const lease = await acquireLease(releasing as pg.Pool, source, {
    leaseMs: 60_000,
    waitsForLease: false,
    signal,
  });
  await lease.release();
});

describe("a source whose holder is dead", () => {
  it("is run by a process that waited for the end of the lease", async () => {
    await select(
      database.databaseUrl,
      `update uploads.sources
       set lease_holder = 'a dead process', lease_until = now() + interval '1 s'`,
    );
    const { outcome } = await runFake(pool, "photos", store, { waitsForLease: true });
    assert.equal(outcome, "complete");
    assert.deepEqual(await readIndex(database.databaseUrl), contentsOf(store));
  });

  it("can be run at once when the lease has ended", async () => {
    await select(database.databaseUrl, expire);
    assert.equal((await runFake(pool, "photos", store)).outcome, "complete");
  });
});

describe("a process that has lost its lease", () => {
  async function acquire(leaseMs: number, from = pool) {
    const { sourceId } = await findSource(pool, "photos");
    const options = { leaseMs, waitsForLease: false, signal: new AbortController().signal };
    return acquireLease(from, { bucketId, sourceId, name: "photos" }, options);
  }

  const timed = { timeout: 20_000 };
  it("knows it when its lease is over, also if the database does not answer", timed, async () => {
    let isDown = false;
    const failing = {
      query: (text: string, values: unknown[]) =>
        isDown ? Promise.reject(new Error("no answer")) : pool.query(text, values),
    };
    const lease = await acquire(200, failing as pg.Pool);
    isDown = true;
    if (!lease.signal.aborted) await once(lease.signal, "abort");
    assert.equal(lease.signal.reason.name, "LeaseLostError");
    isDown = false;
    await lease.release();
  });

  it("does not release that of the process that took it over", async () => {
    const first = await acquire(60_000);
    await select(database.databaseUrl, expire);
    const second = await acquire(60_000);
    await first.release();
    await assert.rejects(acquire(60_000), { name: "SourceBusyError" });
    await second.release();
    await (await acquire(60_000)).release();
  });

  it("does not become the holder of the run by reading it again", () =>
    withConnection(database.databaseUrl, async (client) => {
      const source = await findSource(client, "photos");
      const opening = { isDryRun: false, isConfirmed: false };
      const run = await openRun(client, source, { ...opening, holder: "the first" });
      await openRun(client, source, { ...opening, holder: "the second" });
      const readAgain = await readRun(client, run);
      await assert.rejects(updateRun(client, readAgain, "holder = holder"), {
        name: "LeaseLostError",
      });
    }));

  it("writes nothing any more, and the run is complete all the same", () =>
    whileRunning(async (first, release) => {
      await select(database.databaseUrl, expire);
      assert.equal((await runFake(pool, "photos", store)).outcome, "complete");
      const before = await readIndex(database.databaseUrl);
      release();
      await assert.rejects(first, { name: "LeaseLostError" });
      assert.deepEqual(await readIndex(database.databaseUrl), before);
      assert.deepEqual(before, contentsOf(store));
    }));
});
