import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { FakeClock, settled } from "../../testing/fake-clock.ts";
import { type FetchOutcome, FetchSchedule, type Urgency } from "./fetch-schedule.ts";

const spacingMs = 5_050;

/** A schedule whose fetches end when the test says so. */
function start() {
  const clock = new FakeClock();
  const begunAtMs: number[] = [];
  const outcomes: FetchOutcome[] = [];
  let running: PromiseWithResolvers<boolean> | undefined;
  const schedule = new FetchSchedule({
    clock,
    spacingMs,
    fetch: () => {
      assert.equal(running, undefined, "two fetches run at once");
      begunAtMs.push(clock.now());
      running = Promise.withResolvers();
      return running.promise;
    },
    ended: (outcome) => outcomes.push(outcome),
  });
  const end = async (how: "news" | "no news" | "failure") => {
    const ending = running;
    running = undefined;
    if (how === "failure") ending?.reject(new Error("refused"));
    else ending?.resolve(how === "news");
    await settled();
  };
  const request = async (count = 1, urgency: Urgency = "high") => {
    for (let at = 0; at < count; at++) schedule.request(urgency);
    await settled();
  };
  return { clock, schedule, begunAtMs, outcomes, request, end };
}

type World = ReturnType<typeof start>;

function sinceStart({ begunAtMs }: World): number[] {
  return begunAtMs.map((time) => time - (begunAtMs[0] ?? 0));
}

describe("a fetch schedule", () => {
  it("begins the first fetch at once, and one for all simultaneous requests", async () => {
    const world = start();
    await world.request(100);
    assert.deepEqual(sinceStart(world), [0]);
    assert.deepEqual([world.schedule.begun, world.schedule.running], [1, true]);
  });

  for (const how of ["no news", "failure"] as const) {
    it(`begins the next a spacing after one that ended with ${how}`, async () => {
      const world = start();
      await world.request();
      await world.end(how);
      await world.request();
      assert.equal(world.schedule.nextInMs("high"), spacingMs);
      await world.clock.advance(spacingMs - 1);
      assert.deepEqual(sinceStart(world), [0]);
      await world.clock.advance(1);
      assert.deepEqual(sinceStart(world), [0, spacingMs]);
    });
  }

  it("begins the next soon after one that brought a change, if few wait", async () => {
    const world = start();
    await world.request();
    await world.end("news");
    await world.request(10);
    await world.clock.advance(100);
    assert.deepEqual(sinceStart(world), [0, 100]);
  });

  it("keeps the spacing after a change for requests that wait their turn", async () => {
    const world = start();
    await world.request();
    await world.end("news");
    await world.request(1, "normal");
    assert.equal(world.schedule.nextInMs("normal"), spacingMs);
    await world.clock.advance(spacingMs - 1);
    assert.deepEqual(sinceStart(world), [0]);
    await world.clock.advance(1);
    assert.deepEqual(sinceStart(world), [0, spacingMs]);
  });

  it("begins soon for an urgent request, together with those that wait their turn", async () => {
    const world = start();
    await world.request();
    await world.end("news");
    await world.request(4, "normal");
    await world.clock.advance(1_000);
    await world.request(1);
    assert.equal(world.schedule.nextInMs("normal"), 0);
    await world.request(5, "normal");
    await world.clock.advance(100);
    assert.deepEqual(sinceStart(world), [0, 1_100]);
    assert.equal(world.clock.timers, 0);
  });

  it("keeps the spacing after a change, if many wait their turn", async () => {
    const world = start();
    await world.request();
    await world.end("news");
    await world.request(10, "normal");
    await world.request(1);
    await world.clock.advance(spacingMs);
    assert.deepEqual(sinceStart(world), [0, spacingMs]);
  });

  it("begins at the end of the spacing even if it has not counted for long", async () => {
    const world = start();
    await world.request();
    await world.end("news");
    await world.clock.advance(spacingMs - 30);
    await world.request();
    await world.clock.advance(30);
    assert.deepEqual(sinceStart(world), [0, spacingMs]);
  });

  it("begins the first at once also for requests that wait their turn", async () => {
    const world = start();
    await world.request(1, "normal");
    assert.deepEqual(sinceStart(world), [0]);
  });

  it("keeps the spacing after a change, if there are many requests", async () => {
    const world = start();
    await world.request();
    await world.end("news");
    await world.request(11);
    await world.clock.advance(spacingMs);
    assert.deepEqual(sinceStart(world), [0, spacingMs]);
  });

  it("begins at most two in two spacings, even if each brings a change", async () => {
    const world = start();
    for (let at = 0; at < 200; at++) {
      await world.request();
      await world.end("news");
      await world.clock.advance(100);
    }
    const early = 200;
    const pair = 2 * spacingMs;
    assert.deepEqual(sinceStart(world), [0, early, pair, pair + early]);
  });

  it("numbers its fetches and reports how they ended", async () => {
    const world = start();
    await world.request();
    await world.end("no news");
    await world.request();
    await world.clock.advance(spacingMs);
    await world.end("failure");
    assert.deepEqual(world.outcomes, [{ number: 1 }, { number: 2, error: new Error("refused") }]);
  });

  it("keeps its limits whatever happens", async () => {
    const urgency = fc.constantFrom<Urgency>("high", "normal");
    const step = fc.oneof(
      fc.record({ advanceMs: fc.oneof(fc.nat(200), fc.nat(12_000)) }),
      fc.record({
        requests: fc.oneof(fc.nat(3), fc.nat(30)),
        urgency,
      }),
      fc.record({ end: fc.constantFrom("news" as const, "no news" as const, "failure" as const) }),
    );
    const steps = fc.array(step, { minLength: 20, maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(steps, urgency, async (steps, urgency) => {
        const world = start();
        const { schedule } = world;
        for (const does of steps) {
          if ("advanceMs" in does) await world.clock.advance(does.advanceMs);
          else if ("requests" in does) await world.request(does.requests, does.urgency);
          else await world.end(does.end);
          const [highMs, normalMs] = [schedule.nextInMs("high"), schedule.nextInMs("normal")];
          assert(schedule.running || (highMs <= normalMs && normalMs <= 2 * spacingMs));
          assert(world.clock.timers <= 1);
        }
        const { begunAtMs } = world;
        begunAtMs.forEach((time, at) => {
          const third = begunAtMs[at + 2];
          assert(third === undefined || third - time >= 2 * spacingMs, `${begunAtMs}`);
        });
        // In any state, a new request is served by the next regular fetch at the latest.
        await world.end("failure");
        const { begun } = schedule;
        await world.request(1, urgency);
        const [last = -spacingMs, beforeLast = -spacingMs] = begunAtMs.toReversed();
        const turnAtMs = Math.max(last + spacingMs, beforeLast + 2 * spacingMs);
        await world.clock.advance(Math.max(0, turnAtMs - world.clock.now()));
        assert(schedule.begun > begun);
      }),
      { numRuns: 300 },
    );
  });
});
