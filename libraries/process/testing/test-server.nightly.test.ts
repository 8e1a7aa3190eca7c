import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { it } from "node:test";
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
