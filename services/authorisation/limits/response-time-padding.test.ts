import assert from "node:assert/strict";
import { it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { limitConcurrency } from "./concurrency-limit.ts";
import { ResponseTimePadding } from "./response-time-padding.ts";

const oneAtOnce = () => limitConcurrency({ runningMax: 1, waitingMax: 9, waitMaxMs: 10_000 });

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

it("a failure takes the least time, with or without a comparison", async () => {
  const padding = new ResponseTimePadding(oneAtOnce(), 60);
  assert.ok((await msOf(() => padding.pad(performance.now()))) >= 60);
  const compared = await msOf(async () => {
    const startedAt = performance.now();
    await padding.compare(() => setTimeout(20));
    await padding.pad(startedAt);
  });
  assert.ok(compared >= 60);
});

it("no failure is answered early, although timers fire early now and then", async () => {
  const padding = new ResponseTimePadding(oneAtOnce(), 3.9);
  const fail = () => msOf(() => padding.pad(performance.now()));
  const took = await Promise.all(Array.from({ length: 100 }, fail));
  for (let count = 0; count < 100; count++) took.push(await fail());
  assert.ok(Math.min(...took) >= 3.9, `${Math.min(...took)} ms`);
});

it("when comparisons take longer, so do the failures that compare nothing", async () => {
  const padding = new ResponseTimePadding(oneAtOnce(), 10);
  const compared = await padding.compare(() => msOf(() => setTimeout(80)));
  assert.ok((await msOf(() => padding.pad(performance.now()))) >= compared);
});

it("a comparison that fails counts too, and its result is passed on", async () => {
  const padding = new ResponseTimePadding(oneAtOnce(), 1);
  assert.equal(await padding.compare(async () => "result"), "result");
  await assert.rejects(
    padding.compare(() => Promise.reject(new Error("busy"))),
    /busy/,
  );
});

it("a failure that compares nothing waits for its turn, and then as for a comparison", async () => {
  const padding = new ResponseTimePadding(oneAtOnce(), 1);
  await padding.compare(() => setTimeout(80));
  const gate = Promise.withResolvers<void>();
  const before = padding.compare(() => gate.promise);
  const nothing = msOf(() => padding.compareNothing());
  assert.equal(await Promise.race([nothing, setTimeout(100, "waits")]), "waits");
  gate.resolve();
  await before;
  // The comparison before it took over 100 ms.
  assert.ok((await nothing) >= 200);
});

it("failures take a multiple of the least time: small differences do not show", async () => {
  const padding = new ResponseTimePadding(oneAtOnce(), 100);
  await padding.compare(() => setTimeout(130));
  const took = await msOf(() => padding.pad(performance.now()));
  assert.ok(took >= 200, `${took} ms`);
});
