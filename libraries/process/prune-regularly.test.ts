import assert from "node:assert/strict";
import { it } from "node:test";
import { createLogger } from "./logger.ts";
import { pruneRegularly } from "./prune-regularly.ts";

const logger = createLogger({ name: "test", level: "silent" });
const times = { firstMs: 1, intervalMs: 1, restMs: 1 };

it("prunes in batches, run after run, despite failures", async () => {
  const outcomes = [3, 2, 0, new Error("the database is away"), 1, 0];
  const done = Promise.withResolvers<void>();
  const stop = pruneRegularly({
    prune: async () => {
      const outcome = outcomes.shift();
      if (outcome instanceof Error) throw outcome;
      if (outcome === undefined) done.resolve();
      return outcome ?? 0;
    },
    logger,
    times,
  });
  await done.promise;
  await stop();
});

it("waits for the running batch when it is stopped, and does nothing more", async () => {
  const begun = Promise.withResolvers<void>();
  const pieces = Promise.withResolvers<number>();
  let calls = 0;
  const stop = pruneRegularly({
    prune: () => {
      calls++;
      begun.resolve();
      return pieces.promise;
    },
    logger,
    times,
  });
  await begun.promise;
  let isStopped = false;
  const stopped = stop().then(() => {
    isStopped = true;
  });
  await new Promise(setImmediate);
  assert.equal(isStopped, false);
  pieces.resolve(5);
  await stopped;
  assert.equal(calls, 1);
});

it("ends at once if nothing is running", async () => {
  const prune = () => assert.fail("nothing is to be pruned yet");
  await pruneRegularly({ prune, logger })();
});
