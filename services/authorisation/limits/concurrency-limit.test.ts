import assert from "node:assert/strict";
import { it } from "node:test";
import { BusyError } from "../overrides/error-answers.ts";
import { limitConcurrency } from "./concurrency-limit.ts";

const limits = { waitingMax: 9, waitMaxMs: 10_000 };
const settled = () => new Promise(setImmediate);

it("runs a few at once in order, lets a few wait, and refuses more", async () => {
  const limited = limitConcurrency({ ...limits, runningMax: 2, waitingMax: 3 });
  const begun: number[] = [];
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const results = gates.map(({ promise }, index) =>
    limited(() => {
      begun.push(index);
      return promise;
    }),
  );
  await assert.rejects(
    limited(() => assert.fail("there was no place for it")),
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
  const limited = limitConcurrency({ ...limits, runningMax: 1 });
  const fail = () =>
    limited(async () => {
      throw new Error("failed");
    });
  const outcomes = await Promise.allSettled([fail(), fail(), limited(async () => 7), fail()]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "rejected", "fulfilled", "rejected"],
  );
  assert.equal(await limited(async () => 8), 8);
});

it("refuses what has waited too long, and keeps the others in order", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const limited = limitConcurrency({ ...limits, runningMax: 1 });
  const gate = Promise.withResolvers<void>();
  const running = limited(() => gate.promise);
  const late = assert.rejects(
    limited(() => assert.fail("it has waited too long")),
    (error: BusyError) => error instanceof BusyError && error.statusCode === 503,
  );
  mock.timers.tick(limits.waitMaxMs - 1);
  const next = limited(async () => "next");
  mock.timers.tick(1);
  await late;
  gate.resolve();
  await running;
  assert.equal(await next, "next");
  mock.timers.tick(limits.waitMaxMs);
  assert.equal(await limited(async () => "again"), "again");
});
