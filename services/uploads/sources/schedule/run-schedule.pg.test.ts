import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Registry } from "@prometheus-io/client";
import { createLogger } from "@stowage/process";
import { until } from "@stowage/process/testing";
import { select } from "../../import/testing/import.ts";
import { addSource, type RunsTest, startRunsTest } from "../testing/source-runs.ts";
import { runSchedule } from "./run-schedule.ts";
import { SyncMetrics } from "./sync-metrics.ts";

/** A source that runs once a day, not started yet. `start` runs it, and returns its metrics. */
async function prepare(
  context: TestContext,
  mountPath = "/",
): Promise<RunsTest & { start: () => Metrics }> {
  const prepared = await startRunsTest();
  for (let number = 0; number < 20; number++) prepared.store.put(`a/${number}`, 1);
  await addSource(prepared.database.databaseUrl, "photos", mountPath, { everyMs: 86_400_000 });
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  context.after(async () => {
    stopping.abort();
    await running;
    await prepared.close();
  });
  return {
    ...prepared,
    start() {
      const registry = new Registry();
      running = runSchedule({
        pool: prepared.pool,
        openSource: async ({ mountPath }) => ({
          lister: prepared.store.lister({ pageSize: 7 }),
          mount: { prefix: "", mountPath },
        }),
        leaseMs: 60_000,
        deletedDataDays: 30,
        sourcesAtOnceMax: 2,
        metrics: new SyncMetrics(registry),
        logger: createLogger({ name: "test", level: "silent" }),
        signal: stopping.signal,
      });
      return async (name) => {
        const lines = (await registry.metrics()).split("\n");
        return Number(
          lines.find((line) => line.startsWith(`stowage_sync_${name} `))?.split(" ")[1],
        );
      };
    },
  };
}

type Metrics = (name: string) => Promise<number>;

test("sources take turns, and are late if they wait over their interval", async (context) => {
  const { database, store, start } = await prepare(context, "/photos");
  const names = Array.from({ length: 12 }, (_, index) => `source-${index}`);
  for (const name of names) {
    await addSource(database.databaseUrl, name, `/${name}`, { everyMs: 86_400_000 });
  }
  await select(
    database.databaseUrl,
    `update uploads.sources set last_complete_at = now(), next_run_at = now() - interval '2 days'
     where name like 'source-%'`,
  );
  let isHeld = true;
  store.beforePage = () => until("it goes on", async () => !isHeld);
  const metric = start();
  await until("the rest waits", async () => (await metric('sources{state="late"}')) >= 10);
  isHeld = false;
  await until("all have run", async () => (await metric('runs_total{outcome="complete"}')) === 13);
  await until("none is late", async () => (await metric('sources{state="late"}')) === 0);
});

const endOtherConnections = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

const storedPages = "select from uploads.source_runs where objects > 0";

test("a run that an outage interrupts has not failed, and another one follows", async (context) => {
  const { database, store, start } = await prepare(context);
  let pages = 0;
  store.beforePage = async () => {
    pages += 1;
    if (pages !== 2) return;
    await until("the first page is stored", async () => {
      return (await select(database.databaseUrl, storedPages)).length > 0;
    });
    await select(database.databaseUrl, endOtherConnections);
  };
  const metric = start();
  await until("it is complete", async () => (await metric('runs_total{outcome="complete"}')) === 1);
  // After the second listing, the store is looked at again.
  assert.deepEqual(store.begunAfter, [undefined, undefined, undefined]);
  assert.equal(await metric('runs_total{outcome="failed"}'), 0);
  assert.equal(await metric('sources{state="failed"}'), 0);
});

test("a source that failed counts as such until a run of it is complete", async (context) => {
  const { database, store, start } = await prepare(context);
  store.beforePage = () => {
    throw new Error("no such bucket");
  };
  const metric = start();
  await until("it counts", async () => (await metric('sources{state="failed"}')) === 1);
  assert.equal(await metric('runs_total{outcome="failed"}'), 1);
  store.beforePage = () => undefined;
  await select(database.databaseUrl, "update uploads.sources set next_run_at = now()");
  await until("it no longer counts", async () => (await metric('sources{state="failed"}')) === 0);
  assert.equal(await metric('runs_total{outcome="complete"}'), 1);
});
