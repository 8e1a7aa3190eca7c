/**
 * PostgreSQL fails while the service answers. Callers get right answers or learn that the service
 * is unavailable, and afterwards the service holds no more than before.
 */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { seed } from "../conformance/samples/random-bucket.ts";
import { makeData } from "./data.ts";
import { problemsIn, recoveryTimeMaxMs, runEpisode } from "./episodes.ts";
import { abortedCalls, databaseFaults, type Fault } from "./faults.ts";
import { areAllRight, prepareLoad, startCalls, warmUp } from "./load.ts";
import { describeUsage, growthOf, readUsage, settledUsage, steadyUsage } from "./usage.ts";
import { type DatabaseKind, startWorld, type World } from "./world.ts";

const callsPerSecond = 40;

describe(`outages of PostgreSQL (seed ${seed})`, () => {
  const data = makeData({ seed, hasLargeTree: false });

  async function outage(
    test: TestContext,
    kind: DatabaseKind,
    fault: Fault,
    durationMs: number,
    recoveryMaxMs = recoveryTimeMaxMs,
  ) {
    const world = await startWorld({ kind, lines: data.lines });
    try {
      await check(test, world, fault, { durationMs, recoveryMaxMs });
    } finally {
      await world.close();
    }
  }

  async function check(
    test: TestContext,
    world: World,
    fault: Fault,
    { durationMs, recoveryMaxMs }: { durationMs: number; recoveryMaxMs: number },
  ) {
    const load = await prepareLoad(world, data, seed);
    const read = () => readUsage(world.service.processId, world.databaseUrl);
    // All connections are open then, and all code is compiled.
    await warmUp(load, 3);
    await abortedCalls.run(load, 0);
    await fetch(new URL("/readyz", world.service.url));
    load.client.closeIdle();
    const before = await steadyUsage(read);

    const calls = startCalls(load, callsPerSecond);
    const episode = await runEpisode(load, fault, durationMs);
    const recoveryMs = load.log.recoveryMs(episode.endedMs);
    await calls.stop();
    await areAllRight(load);
    load.client.closeIdle();
    const limits = { ratioMax: 1, waitMaxMs: 5000 };
    const after = await settledUsage(read, before, limits);

    test.diagnostic(load.log.describe().join("; "));
    test.diagnostic(`recovered after ${Math.round(recoveryMs)} ms`);
    test.diagnostic(`before ${describeUsage(before)}; after ${describeUsage(after)}`);
    assert.deepEqual(problemsIn(load.log, [episode]), []);
    assert.ok(recoveryMs < recoveryMaxMs, `recovered after ${recoveryMs} ms`);
    const { memoryBytes, handles, databaseConnections } = growthOf(before, after);
    assert.ok(memoryBytes < 1.3, `memory grew by the factor ${memoryBytes}`);
    assert.ok(handles <= 1, `${after.handles} handles, before ${before.handles}`);
    assert.ok(databaseConnections <= 1, `${after.databaseConnections} connections`);
  }

  const { killed, stopped, reset, swallowed, frozen } = databaseFaults;
  it("kill -9 of an external server", (test) => outage(test, "external", killed, 2000));
  it("kill -9 of the embedded server", (test) => outage(test, "embedded", killed, 0));
  // Longer than connecting may take, and than the denylist may be behind.
  it("SIGSTOP of all its processes for 11 s", (test) => outage(test, "external", stopped, 11_000));
  it("connections that are reset", (test) => outage(test, "external", reset, 3000));
  it("connections that swallow everything for 11 s", (test) =>
    outage(test, "external", swallowed, 11_000));
  it("connections that are frozen, while new ones work", (test) =>
    outage(test, "external", frozen, 0, 2000));
});
