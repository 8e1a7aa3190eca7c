import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import {
  addressOf,
  silent as logger,
  serverProcess,
  startSample,
  temporaryFolder,
} from "../../testing/sample-program.ts";
import type { EndedProcess } from "../../testing/start-process.ts";
import { withClient } from "../../testing/test-database.ts";
import { openDatabase } from "./open-database.ts";

function assertEndedWell({ exitCode, stdout, stderr }: EndedProcess): void {
  assert.equal(exitCode, 0, stderr);
  assert.match(stdout, /\nclosed\n$/);
}

describe("programs with one data folder", () => {
  it("share a server, which the last to end stops", async (test) => {
    const dataDir = await temporaryFolder(test);
    const samples = Array.from({ length: 3 }, () => startSample(dataDir));
    const addresses = new Set(await Promise.all(samples.map(addressOf)));
    assert.equal(addresses.size, 1);
    const server = await serverProcess(dataDir);

    for (const sample of samples) {
      assert.equal(await serverProcess(dataDir), server);
      sample.kill("SIGTERM");
      assertEndedWell(await sample.ended);
    }
    assert.equal(await serverProcess(dataDir), undefined);
  });

  it("leave no server behind when they are killed, and find their data again", async (test) => {
    const dataDir = await temporaryFolder(test);
    const killed = startSample(dataDir);
    const address = await addressOf(killed);
    await withClient(address, (client) => client.query("create table t ()"));
    killed.kill("SIGKILL");
    await killed.ended;
    while ((await serverProcess(dataDir)) !== undefined) await sleep(5);

    const next = startSample(dataDir);
    assert.equal(await addressOf(next), address);
    await withClient(address, (client) => client.query("select from t"));
    next.kill("SIGTERM");
    assertEndedWell(await next.ended);
    assert.equal(await serverProcess(dataDir), undefined);
  });

  const moments: readonly (readonly [string, RegExp])[] = [
    ["began a cluster", /^cluster\.\w+\.partial\/base$/],
    ["finished a cluster", /^cluster$/],
    ["began to start the server", /^cluster\/postmaster\.pid$/],
  ];
  for (const [moment, file] of moments) {
    it(`find a whole database when the first was killed as it had ${moment}`, async (test) => {
      const dataDir = await temporaryFolder(test);
      const home = join(dataDir, "postgres");
      const killed = startSample(dataDir);
      while (!(await filesIn(home)).some((name) => file.test(name))) await turn();
      killed.kill("SIGKILL");
      await killed.ended;

      const database = await openDatabase({ dataDir, logger });
      await withClient(database.databaseUrl, (client) => client.query("create table t ()"));
      await database.close();
      // The first server may still be starting, and stops then.
      while ((await serverProcess(dataDir)) !== undefined) await sleep(5);
      const files = ["cluster", "server.lock", "server.log", "users.lock"];
      assert.deepEqual((await readdir(home)).sort(), files);
    });
  }

  it("never meet a server that is stopping", async (test) => {
    const dataDir = await temporaryFolder(test);
    const setUp = await openDatabase({ dataDir, logger });
    await withClient(setUp.databaseUrl, (client) => client.query("create table t (value integer)"));
    await setUp.close();

    const [users, rounds] = [4, 6];
    const use = async () => {
      for (let round = 0; round < rounds; round++) {
        const database = await openDatabase({ dataDir, logger });
        await withClient(database.databaseUrl, async (client) => {
          await client.query("insert into t values (1)");
          await client.query("select pg_sleep(random() * 0.1)");
        });
        await database.close();
        await sleep(Math.random() * 50);
      }
    };
    await Promise.all(Array.from({ length: users }, use));

    assert.equal(await serverProcess(dataDir), undefined);
    const last = await openDatabase({ dataDir, logger });
    await withClient(last.databaseUrl, async (client) => {
      const { rows } = await client.query("select count(*)::integer as count from t");
      assert.equal(rows[0].count, users * rounds);
    });
    await last.close();
  });
});

/** Files of a folder and of the folders in it. */
async function filesIn(home: string): Promise<readonly string[]> {
  const names = await readdir(home).catch(() => []);
  const inner = names.map(async (name) => {
    const files = await readdir(join(home, name)).catch(() => []);
    return files.map((file) => join(name, file));
  });
  return [...names, ...(await Promise.all(inner)).flat()];
}
