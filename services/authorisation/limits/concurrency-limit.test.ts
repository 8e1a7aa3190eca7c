import assert from "node:assert/strict";
import { it } from "node:test";
import { BusyError } from "./busy-error.ts";
import { limitConcurrency, NameLimit } from "./concurrency-limit.ts";

const limits = { waitingMax: 9, waitMaxMs: 10_000 };
const settled = () => new Promise(setImmediate);

it("runs a few at once in order, lets a few wait, and refuses more", async () => {
  const limit = limitConcurrency({ ...limits, runningMax: 2, waitingMax: 3 });
  const begun: number[] = [];
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const results = gates.map(({ promise }, index) =>
    limit.run(() => {
      begun.push(index);
      return promise;
    }),
  );
  await assert.rejects(
    limit.run(() => assert.fail("there was no place for it")),
    (error: BusyError) => {
      assert.ok(error instanceof BusyError);
      assert.deepEqual(
        [error.statusCode, error.error, error.retryAfterSeconds],
        [503, "temporarily_unavailable", 1],
      );
      return true;
    },
  );
  await settled();
  assert.deepEqual(begun, [0, 1]);
  gates[1]?.resolve(1);
  assert.equal(await results[1], 1);
  await settled();
  assert.deepEqual(begun, [0, 1, 2]);
  for (const [index, { resolve }] of gates.entries()) resolve(index);
  assert.deepEqual(await Promise.all(results), [0, 1, 2, 3, 4]);
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
});

it("continues after failures", async () => {
  const limit = limitConcurrency({ ...limits, runningMax: 1 });
  const fail = () =>
    limit.run(async () => {
      throw new Error("failed");
    });
  const outcomes = await Promise.allSettled([fail(), fail(), limit.run(async () => 7), fail()]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "rejected", "fulfilled", "rejected"],
  );
  assert.equal(await limit.run(async () => 8), 8);
});

it("refuses what has waited too long, and keeps the others in order", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const limit = limitConcurrency({ ...limits, runningMax: 1 });
  const gate = Promise.withResolvers<void>();
  const running = limit.run(() => gate.promise);
  const late = assert.rejects(
    limit.run(() => assert.fail("it has waited too long")),
    (error: BusyError) => error instanceof BusyError && error.statusCode === 503,
  );
  mock.timers.tick(limits.waitMaxMs - 1);
  const next = limit.run(async () => "next");
  mock.timers.tick(1);
  await late;
  gate.resolve();
  await running;
  assert.equal(await next, "next");
  mock.timers.tick(limits.waitMaxMs);
  assert.equal(await limit.run(async () => "again"), "again");
});

it("lets those pass in their turn who have no work, and keeps no place for them", async () => {
  const limit = limitConcurrency({ ...limits, runningMax: 1 });
  await limit.pass();
  const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const done: string[] = [];
  const note = (what: string) => () => void done.push(what);
  const run = (index: number) => limit.run(async () => gates[index]?.promise);
  const work = [run(0).then(note("0")), run(1).then(note("1"))];
  const passed = [limit.pass(), limit.pass()].map((turn) => turn.then(note("passed")));
  work.push(run(2).then(note("2")));
  gates[0]?.resolve();
  await settled();
  assert.deepEqual(done, ["0"]);
  gates[1]?.resolve();
  await settled();
  assert.deepEqual(done, ["0", "1", "passed", "passed"]);
  gates[2]?.resolve();
  await Promise.all([...work, ...passed]);
  assert.equal(await limit.run(async () => "free"), "free");
});

it("refuses those who have no work as it refuses work", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const limit = limitConcurrency({ ...limits, runningMax: 1, waitingMax: 1 });
  const gate = Promise.withResolvers<void>();
  const running = limit.run(() => gate.promise);
  const late = [limit.pass(), limit.pass()].map((turn) => assert.rejects(turn, BusyError));
  const next = assert.rejects(
    limit.run(async () => undefined),
    BusyError,
  );
  await assert.rejects(limit.pass(), BusyError);
  mock.timers.tick(limits.waitMaxMs);
  await Promise.all([...late, next]);
  gate.resolve();
  await running;
});

it("runs work of one name after the other, and that of others at once", async () => {
  const names = new NameLimit();
  const gate = Promise.withResolvers<void>();
  const begun: string[] = [];
  const run = (name: string) =>
    names.run(name, async () => {
      begun.push(name);
      await gate.promise;
    });
  const work = Array.from({ length: 65 }, () => run("ada"));
  await assert.rejects(run("ada"), BusyError);
  work.push(run("bob"));
  await settled();
  assert.deepEqual(begun, ["ada", "bob"]);
  gate.resolve();
  await Promise.all(work);
  assert.equal(begun.length, 66);
  assert.equal(await names.run("ada", async () => "again"), "again");
});

it("lets so many pass only", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const limit = limitConcurrency({ ...limits, runningMax: 1 });
  const gate = Promise.withResolvers<void>();
  const running = limit.run(() => gate.promise);
  const passing = Array.from({ length: 10_000 }, () => limit.pass());
  await assert.rejects(limit.pass(), BusyError);
  gate.resolve();
  await Promise.all([running, ...passing]);
});
