import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import {
  addressOf,
  silent as logger,
  serverProcess,
  startSample,
  temporaryFolder,
} from "../../testing/sample-program.ts";
import { type EndedProcess, startNode, startProcess } from "../../testing/start-process.ts";
import { withClient } from "../../testing/test-database.ts";
import { openDatabase } from "./open-database.ts";
import { acquireLease, isLeased, releaseLease, withFolderLock } from "./sharing.ts";

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

  it("take over the server of one that was killed", async (test) => {
    const dataDir = await temporaryFolder(test);
    const killed = startSample(dataDir);
    const address = await addressOf(killed);
    const server = await serverProcess(dataDir);
    killed.kill("SIGKILL");
    await killed.ended;
    assert.equal(await serverProcess(dataDir), server);

    const next = startSample(dataDir);
    assert.equal(await addressOf(next), address);
    assert.equal(await serverProcess(dataDir), server);
    next.kill("SIGTERM");
    assertEndedWell(await next.ended);
    assert.equal(await serverProcess(dataDir), undefined);
  });

  const moments: readonly (readonly [string, RegExp])[] = [
    ["made the password", /^password$/],
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
      assert.equal(await serverProcess(dataDir), undefined);
      const files = ["cluster", "leases", "password", "server.lock", "server.log"];
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

describe("leases", () => {
  it("count until the last is returned, also several of one process", async (test) => {
    const folder = await temporaryFolder(test);
    const leases = [await acquireLease(folder), await acquireLease(folder)];
    for (const lease of leases) {
      assert.equal(await isLeased(folder), true);
      await releaseLease(lease);
    }
    assert.equal(await isLeased(folder), false);
  });

  it("of processes that are gone are removed", async (test) => {
    const folder = await temporaryFolder(test);
    const child = startProcess("/bin/true", []);
    await child.ended;
    await writeFile(join(folder, `${child.processId}-1`), `${child.processId} 1 boot`);
    assert.equal(await isLeased(folder), false);
    assert.deepEqual(await readdir(folder), []);
  });

  it("do not pass to a later process with the same number", async (test) => {
    const folder = await temporaryFolder(test);
    const { file } = await acquireLease(folder);
    const [processId, startTicks, bootId] = (await readFile(file, "utf8")).split(" ");
    for (const other of [
      `${processId} ${Number(startTicks) - 1} ${bootId}`,
      `${processId} ${startTicks} 00000000-0000-0000-0000-000000000000`,
    ]) {
      await writeFile(file, other);
      assert.equal(await isLeased(folder), false);
    }
  });

  it("survive anything else in their folder", async (test) => {
    const folder = await temporaryFolder(test);
    await acquireLease(folder);
    await writeFile(join(folder, "notes.txt"), "text");
    assert.equal(await isLeased(folder), true);
  });

  it("do not seem to be gone for lack of file handles", async (test) => {
    const folder = await temporaryFolder(test);
    const { file } = await acquireLease(folder);
    const sharing = new URL("./sharing.ts", import.meta.url);
    // Asks with no spare file handle, and with more and more.
    const text = `
      import { openSync, closeSync } from "node:fs";
      import { isLeased } from ${JSON.stringify(sharing.href)};
      const opened = [];
      try { for (;;) opened.push(openSync("/dev/null")); } catch {}
      const answers = [];
      for (let spare = 0; spare < 4; spare++) {
        answers.push(await isLeased(${JSON.stringify(folder)}).catch(({ code }) => code));
        closeSync(opened.pop());
      }
      for (const handle of opened) closeSync(handle);
      console.log(answers.join());`;
    const limited = startProcess("/bin/sh", [
      "-c",
      'ulimit -n 100; exec "$@"',
      "sh",
      process.execPath,
      "--input-type=module-typescript",
      "--eval",
      text,
    ]);
    assert.equal((await limited.ended).stdout, "EMFILE,true,true,true\n");
    assert.deepEqual(await readdir(folder), [basename(file)]);
  });
});

const lock = { timeoutMs: 30_000 };

function startHolder(folder: string) {
  const text = `
    import { withFolderLock } from "./sharing.ts";
    await withFolderLock(process.argv[1], async () => {
      console.log("held");
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    }, { timeoutMs: 30_000 });`;
  return startNode(["--input-type=module-typescript", "--eval", text, folder], {
    cwd: import.meta.dirname,
  });
}

describe("withFolderLock()", () => {
  it("runs one action at a time, and all of them", async (test) => {
    const folder = await temporaryFolder(test);
    let [running, done] = [0, 0];
    const action = async () => {
      running += 1;
      assert.equal(running, 1);
      for (let i = 0; i < 5; i++) await turn();
      running -= 1;
      done += 1;
    };
    await Promise.all(Array.from({ length: 30 }, () => withFolderLock(folder, action, lock)));
    assert.equal(done, 30);
  });

  it("releases the lock after the action, and passes on its result or error", async (test) => {
    const folder = await temporaryFolder(test);
    const failing = withFolderLock(folder, () => Promise.reject(new Error("broken")), lock);
    await assert.rejects(failing, /broken/);
    assert.equal(await withFolderLock(folder, async () => 5, lock), 5);
  });

  it("keeps folders apart", async (test) => {
    const [one, other] = [await temporaryFolder(test), await temporaryFolder(test)];
    assert.equal(
      await withFolderLock(one, () => withFolderLock(other, async () => 5, lock), lock),
      5,
    );
  });

  it("gives up when another process does not release the lock in time", async (test) => {
    const folder = await temporaryFolder(test);
    const holder = startHolder(folder);
    await holder.line(/held/);
    const attempt = withFolderLock(folder, async () => 5, { timeoutMs: 50 });
    await assert.rejects(attempt, /Cannot lock .*: another program has held it for 0\.05 s/);
    holder.kill("SIGKILL");
    await holder.ended;
  });

  it("is free the moment its holder is killed", async (test) => {
    const folder = await temporaryFolder(test);
    const holder = startHolder(folder);
    await holder.line(/held/);
    const attempt = withFolderLock(folder, async () => 5, lock);
    holder.kill("SIGKILL");
    assert.equal(await attempt, 5);
  });
});
