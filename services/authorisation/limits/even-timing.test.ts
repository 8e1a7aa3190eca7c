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
  assert.ok((await msOf(() => timing.settle(performance.now()))) >= 60);
  const compared = await msOf(async () => {
    const startedAt = performance.now();
    await timing.compare(() => setTimeout(20));
    await timing.settle(startedAt);
  });
  assert.ok(compared >= 60);
});

it("no failure is answered early, although timers fire early now and then", async () => {
  const timing = new EvenTiming(3.9);
  const settle = () => msOf(() => timing.settle(performance.now()));
  const took = await Promise.all(Array.from({ length: 100 }, settle));
  for (let count = 0; count < 100; count++) took.push(await settle());
  assert.ok(Math.min(...took) >= 3.9, `${Math.min(...took)} ms`);
});

it("when comparisons take longer, so do the failures that compare nothing", async () => {
  const timing = new EvenTiming(10);
  const compared = await timing.compare(() => msOf(() => setTimeout(80)));
  assert.ok((await msOf(() => timing.settle(performance.now()))) >= compared);
});

it("a comparison that fails counts too, and its result is passed on", async () => {
  const timing = new EvenTiming(1);
  assert.equal(await timing.compare(async () => "result"), "result");
  await assert.rejects(
    timing.compare(() => Promise.reject(new Error("busy"))),
    /busy/,
  );
});
