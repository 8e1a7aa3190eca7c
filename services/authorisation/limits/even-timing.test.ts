import assert from "node:assert/strict";
import { it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { EvenTiming } from "./even-timing.ts";

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

it("a failure takes the least time, with or without a comparison", async () => {
  const timing = new EvenTiming(60);
  assert.ok((await msOf(() => timing.settle(performance.now()))) >= 59);
  const compared = await msOf(async () => {
    const startedAt = performance.now();
    await timing.compare(() => setTimeout(20));
    await timing.settle(startedAt);
  });
  assert.ok(compared >= 59);
});

it("when comparisons take longer, so do the failures that compare nothing", async () => {
  const timing = new EvenTiming(10);
  await timing.compare(() => setTimeout(80));
  assert.ok((await msOf(() => timing.settle(performance.now()))) >= 78);
});

it("a comparison that fails counts too, and its result is passed on", async () => {
  const timing = new EvenTiming(1);
  assert.equal(await timing.compare(async () => "result"), "result");
  await assert.rejects(
    timing.compare(() => Promise.reject(new Error("busy"))),
    /busy/,
  );
});
