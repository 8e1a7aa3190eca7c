import assert from "node:assert/strict";
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

/** A quiet machine needs 2 s, a busy one several. Without a restart, it is never. */
const restartMaxMs = 20_000;

/** Sends SIGTERM to all, and waits until the last has stopped the server. */
async function end(dataDir: string, programs: readonly StartedProcess[]): Promise<void> {
  for (const program of programs) program.kill("SIGTERM");
  for (const { ended } of programs) assert.equal((await ended).exitCode, 0);
  assert.equal(await serverProcess(dataDir), undefined);
}

describe("an embedded database whose server is killed", () => {
  it("answers again within seconds, at the same address, with what was written", async (test) => {
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

  it("is restarted also after somebody has stopped it", async (test) => {
    const dataDir = await temporaryFolder(test);
    const program = startSample(dataDir);
    const address = await addressOf(program);
    process.kill((await serverProcess(dataDir)) ?? 0, "SIGINT");
    while ((await serverProcess(dataDir)) !== undefined) await sleep(5);
    await untilItAnswers(address);
    await end(dataDir, [program]);
  });
});
