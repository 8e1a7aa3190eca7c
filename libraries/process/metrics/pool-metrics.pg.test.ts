import assert from "node:assert/strict";
import { it } from "node:test";
import { Registry } from "@prometheus-io/client";
import { openPool } from "../database/pool.ts";
import { createLogger } from "../logger.ts";
import { createTestDatabase } from "../testing/index.ts";
import { PoolMetrics } from "./pool-metrics.ts";

it("reports the connections of a pool, its waiting callers, and how long they waited", async () => {
  const database = await createTestDatabase();
  const registry = new Registry();
  const metrics = new PoolMetrics(registry);
  const pool = openPool({
    databaseUrl: database.databaseUrl,
    connectionsMax: 1,
    applicationName: "try",
    logger: createLogger({ name: "try", level: "silent" }),
  });
  metrics.watch("try", pool);
  assert.throws(() => metrics.watch("try", pool), /watched already/);

  const client = await pool.connect();
  const waiting = pool.query("select 1 as one");
  assert.match(await registry.metrics(), /^stowage_pool_waiting\{pool="try"\} 1$/m);
  client.release();
  assert.deepEqual((await waiting).rows, [{ one: 1 }]);

  const text = await registry.metrics();
  assert.match(text, /^stowage_pool_connections\{pool="try",state="in_use"\} 0$/m);
  assert.match(text, /^stowage_pool_connections\{pool="try",state="idle"\} 1$/m);
  assert.match(text, /^stowage_pool_connections_max\{pool="try"\} 1$/m);
  assert.match(text, /^stowage_pool_waiting\{pool="try"\} 0$/m);
  assert.match(text, /^stowage_pool_wait_seconds_count\{pool="try"\} 2$/m);
  await pool.end();
  await database.drop();
});
