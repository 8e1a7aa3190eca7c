import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { it } from "node:test";
import pg from "pg";
import { startNode } from "./start-process.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";
import { withClient } from "./test-database.ts";
import { startTestServer } from "./test-server.ts";
import { until } from "./until.ts";

it("a test server ends with its process, even a killed one, and leaves nothing", async () => {
  const temporary = await makeTemporaryFolder();
  const text = `
    import { startTestServer } from "./testing/index.ts";
    console.log((await startTestServer()).databaseUrl);
    setInterval(() => undefined, 1000);`;
  const owner = startNode(["--input-type=module-typescript", "--eval", text], {
    cwd: dirname(import.meta.dirname),
    env: { TMPDIR: temporary.path },
  });
  const databaseUrl = await owner.line(/^postgresql:/);
  await withClient(databaseUrl, (client) => client.query("select 1"));
  owner.kill("SIGKILL");
  await owner.ended;

  await until("nothing is left", async () => (await readdir(temporary.path)).length === 0);
  await temporary.remove();
  await assert.rejects(
    withClient(databaseUrl, async () => undefined),
    /ECONNREFUSED/,
  );
});

it("a test server that crashes keeps what was committed the moment before", async () => {
  const server = await startTestServer();
  try {
    await withClient(server.databaseUrl, async (client) => {
      await client.query("create table kept (number integer)");
      for (let number = 0; number < 100; number++) {
        await client.query("insert into kept values ($1)", [number]);
      }
    });
    await server.crash();
    await server.restart();
    const { rows } = await withClient(server.databaseUrl, (client) =>
      client.query<{ count: number }>("select count(*)::integer as count from kept"),
    );
    assert.deepEqual(rows, [{ count: 100 }]);
  } finally {
    await server.stop();
  }
});

it("a test server starts again after a crash in the middle of a query", async () => {
  const server = await startTestServer();
  const client = new pg.Client({ connectionString: server.databaseUrl });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const query = "select count(*) from (select generate_series(1, 100000000)) numbers";
    const cut = assert.rejects(client.query(query));
    const running = "select from pg_stat_activity where state = 'active' and query = $1";
    await until("the query runs", async () => {
      const { rowCount } = await withClient(server.databaseUrl, (other) =>
        other.query(running, [query]),
      );
      return rowCount === 1;
    });
    await server.crash();
    await cut;
    await server.restart();
    await withClient(server.databaseUrl, (other) => other.query("select"));
  } finally {
    await server.stop();
  }
});
