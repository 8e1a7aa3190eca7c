import assert from "node:assert/strict";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  addressOf,
  serverProcess,
  startSample,
  temporaryFolder,
} from "../../testing/sample-program.ts";
import type { StartedProcess } from "../../testing/start-process.ts";
import { withClient } from "../../testing/test-database.ts";

async function killServer(dataDir: string): Promise<void> {
  process.kill((await serverProcess(dataDir)) ?? 0, "SIGKILL");
}

/** Resolves to the time in milliseconds until the database answers. */
async function untilItAnswers(databaseUrl: string): Promise<number> {
  const startMs = performance.now();
  for (;;) {
    const answer = withClient(databaseUrl, (client) => client.query("select 1"));
    if (await answer.catch(() => undefined)) return performance.now() - startMs;
    await sleep(5);
  }
}

async function untilLogged(program: StartedProcess, text: string, times = 1): Promise<void> {
  while (program.stderr().split(text).length <= times) await sleep(5);
}

/** A quiet machine needs half a second, a busy one several. Without a restart, it is never. */
const restartMaxMs = 20_000;

/** Sends SIGTERM to all, and waits until the last has stopped the server. */
async function end(dataDir: string, programs: readonly StartedProcess[]): Promise<void> {
  for (const program of programs) program.kill("SIGTERM");
  for (const { ended } of programs) assert.equal((await ended).exitCode, 0);
  assert.equal(await serverProcess(dataDir), undefined);
}

describe("an embedded database whose server is killed", () => {
  it("answers again within 2 s, at the same address, with what was written", async (test) => {
    const dataDir = await temporaryFolder(test);
    const program = startSample(dataDir);
    const address = await addressOf(program);
    await withClient(address, (client) => client.query("create table t ()"));
    await killServer(dataDir);
    const ms = await untilItAnswers(address);
    test.diagnostic(`${Math.round(ms)} ms`);
    assert.ok(ms < restartMaxMs, `${ms} ms`);
    await withClient(address, (client) => client.query("select from t"));
    await end(dataDir, [program]);
  });

  it("is restarted once by the programs that share it", async (test) => {
    const dataDir = await temporaryFolder(test);
    const programs = Array.from({ length: 3 }, () => startSample(dataDir));
    const [address = ""] = await Promise.all(programs.map(addressOf));
    await killServer(dataDir);
    await untilItAnswers(address);
    const server = await serverProcess(dataDir);
    for (const program of programs) await untilLogged(program, "the embedded database died");
    const late = startSample(dataDir);
    assert.equal(await addressOf(late), address);
    assert.equal(await serverProcess(dataDir), server);
    await end(dataDir, [...programs, late]);
  });

  it("pauses longer before each restart in a row, and says so", async (test) => {
    const dataDir = await temporaryFolder(test);
    const program = startSample(dataDir);
    const address = await addressOf(program);
    const settings = join(dataDir, "postgres", "cluster", "postgresql.conf");
    const right = await readFile(settings, "utf8");
    await appendFile(settings, "nonsense = 1\n");
    await killServer(dataDir);
    await untilLogged(program, "cannot restart the embedded database", 3);
    await writeFile(settings, right);
    await untilItAnswers(address);
    const pauses = program.stderr().matchAll(/"restartInMs":(\d+)/g);
    const first = Array.from(pauses, ([, ms]) => Number(ms)).slice(0, 3);
    assert.deepEqual(first, [0, 500, 1000]);
    assert.match(program.stderr(), /unrecognized configuration parameter/);
    await end(dataDir, [program]);
  });

  it("is restarted also after somebody has stopped it", async (test) => {
    const dataDir = await temporaryFolder(test);
    const program = startSample(dataDir);
    const address = await addressOf(program);
    process.kill((await serverProcess(dataDir)) ?? 0, "SIGINT");
    await untilLogged(program, "running again");
    assert.match(program.stderr(), /"level":"warn".*running again/);
    assert.equal((await untilItAnswers(address)) < 60_000, true);
    await end(dataDir, [program]);
  });
});
