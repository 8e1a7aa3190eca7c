/** Hints from a request to the index, over HTTP. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { afterEach, beforeEach, it } from "node:test";
import { Registry } from "@prometheus-io/client";
import { createLogger } from "@stowage/process";
import { listen, until } from "@stowage/process/testing";
import { select } from "../../import/testing/import.ts";
import { makeHintSecret } from "../hints/hint-secret.ts";
import { createHintHandler } from "../hints/serve-hints.ts";
import { findSource } from "../source.ts";
import {
  addSource,
  contentsOf,
  type RunsTest,
  readIndex,
  runFake,
  startRunsTest,
} from "../testing/source-runs.ts";
import { HintedRuns } from "./hinted-runs.ts";
import { SyncMetrics } from "./sync-metrics.ts";

let test: RunsTest;
let databaseUrl: string;
let address: string;
let secret: string;
let hinted: HintedRuns;
let close: () => Promise<unknown>;
beforeEach(async () => {
  test = await startRunsTest();
  ({ databaseUrl } = test.database);
  const { pool, store } = test;
  await addSource(databaseUrl, "photos", "/", { everyMs: 86_400_000 });
  for (const key of ["a/1", "a/2"]) store.put(key, 1);
  await runFake(pool, "photos", store);
  const stopping = new AbortController();
  const logger = createLogger({ name: "test", level: "silent" });
  hinted = new HintedRuns({
    pool,
    openSource: async ({ mountPath }) => ({
      lister: store.lister({ pageSize: 7 }),
      mount: { prefix: "", mountPath },
    }),
    leaseMs: 60_000,
    sourcesAtOnceMax: 2,
    metrics: new SyncMetrics(new Registry()),
    logger,
    signal: stopping.signal,
  });
  const onHints = (source: string, keys: readonly string[]) => hinted.add(source, keys);
  const takeHints = createHintHandler({ database: pool, onHints, logger });
  const server = await listen(
    createServer((request, response) => {
      if (!takeHints(request, response)) response.writeHead(404).end();
    }),
  );
  const source = await findSource(pool, "photos");
  secret = await makeHintSecret(pool, source);
  address = `http://127.0.0.1:${server.port}/hints/${source.sourceId}`;
  close = async () => {
    stopping.abort();
    await hinted.ended();
    await server.close();
  };
});
afterEach(async () => {
  await close();
  await test.close();
});

const events = (...keys: readonly string[]) =>
  JSON.stringify({
    Records: keys.map((key) => ({ s3: { bucket: { name: "acme-photos" }, object: { key } } })),
  });

async function send(body: string | ReadableStream, url = `${address}?key=${secret}`, headers = {}) {
  const init = { method: "POST", body, headers, duplex: "half" } as const;
  return (await fetch(url, init)).status;
}

const indexed = () => readIndex(databaseUrl);
const untilIndexed = () =>
  until("the index has what the store has", async () => {
    const { uploads } = await indexed();
    return JSON.stringify(uploads) === JSON.stringify(contentsOf(test.store).uploads);
  });

it("what changes in the store is in the index soon after its events", async () => {
  test.store.put("b/new", 3);
  test.store.put("a/1", 4);
  test.store.delete("a/2");
  assert.equal(await send(events("b/new", "a/1")), 204);
  const headers = { authorization: `Bearer ${secret}` };
  assert.equal(await send(events("a/2"), address, headers), 204);
  await untilIndexed();
});

it("only who has the secret may send hints, and only so much JSON", async () => {
  assert.equal(await send(events("a/1"), address), 401);
  assert.equal(await send(events("a/1"), `${address}?key=${secret}x`), 401);
  assert.equal(await send(events("a/1"), `${address.slice(0, -3)}000?key=${secret}`), 401);
  assert.equal(await send("a=1"), 415);
  const long = "x".repeat(1024 * 1024 + 1);
  assert.equal(await send(JSON.stringify(long)), 413);
  const chunked = new Blob([long]).stream();
  assert.equal(await send(chunked), 413);
  assert.equal((await fetch(`${address}?key=${secret}`)).status, 404);
});

const set = (columns: string) => select(databaseUrl, `update uploads.sources set ${columns}`);

it("hints wait while a run has the source", async () => {
  await set("lease_holder = 'other', lease_until = now() + interval '1 hour'");
  test.store.delete("a/2");
  await send(events("a/2"));
  let queries = 0;
  test.pool.on("acquire", () => {
    queries += 1;
  });
  // An attempt takes four.
  await until("two attempts were made", async () => queries >= 8);
  assert.equal((await indexed()).uploads.length, 2);
  await set("lease_holder = null, lease_until = null");
  await untilIndexed();
});

it("too many hints make the source due at once", async () => {
  const isDue = async () =>
    (await select(databaseUrl, "select from uploads.sources where next_run_at <= now()")).length;
  assert.equal(await isDue(), 0);
  void hinted.add(
    "photos",
    Array.from({ length: 10_001 }, (_, number) => `c/${number}`),
  );
  await until("it is due", async () => (await isDue()) === 1);
});
