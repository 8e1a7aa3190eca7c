import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  burstMs,
  CooperativeScheduler,
  followUpMs,
  longWorkShare,
  shortCallMsMax,
} from "./cooperative-scheduler.ts";

/** An operation whose calls end when the test says so. */
function heldCalls(scheduler: CooperativeScheduler) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const start = scheduler.trackShort(() => promise);
  return { start, end: () => resolve("answer"), fail: () => reject(new Error("no answer")) };
}

/** The time of a thread that nothing else delays. */
class ThreadTime {
  #nowMs = 1000;
  readonly #waiting: { untilMs: number; wake: () => void }[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  /** Keeps the thread busy. */
  work(milliseconds: number): void {
    this.#nowMs += milliseconds;
  }

  wait(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ untilMs: this.#nowMs + milliseconds, wake: resolve });
    return promise;
  }

  /** Time passes while all wait, until the work has ended. */
  async runUntil(end: Promise<unknown>): Promise<void> {
    while (!(await isAtOnce(end))) {
      this.#waiting.sort((a, b) => a.untilMs - b.untilMs);
      const next = this.#waiting.shift();
      if (next === undefined) throw new Error("Nothing waits, but the work has not ended");
      this.#nowMs = Math.max(this.#nowMs, next.untilMs);
      next.wake();
    }
  }
}

const pieceMs = 0.2;

/** Works until the long answer waits, and then until it goes on. */
async function workUntilWait(time: ThreadTime, pause: () => Promise<void>): Promise<void> {
  for (let pieces = 0; pieces < 200; pieces++) {
    time.work(pieceMs);
    const pausing = pause();
    if (!(await isAtOnce(pausing))) return await time.runUntil(pausing);
  }
  throw new Error("The long answer did not wait");
}

/** Whether the promise settles without a turn of the event loop. */
async function isAtOnce(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  void promise.then(() => {
    isSettled = true;
  });
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  return isSettled;
}

describe("a long answer", () => {
  it("does not wait while no short call is under way", async () => {
    const time = new ThreadTime();
    const pause = new CooperativeScheduler(time).createYield();
    for (let pieces = 0; pieces < 20; pieces++) {
      time.work(pieceMs);
      assert.ok(await isAtOnce(pause()));
    }
  });

  it("waits while a short call is under way, when it has worked its share", async () => {
    const time = new ThreadTime();
    const scheduler = new CooperativeScheduler(time);
    const pause = scheduler.createYield();
    void heldCalls(scheduler).start();
    await workUntilWait(time, pause);
    await workUntilWait(time, pause);
  });

  it("does not wait when the time for a follow-up of the last short call is over", async () => {
    const time = new ThreadTime();
    const scheduler = new CooperativeScheduler(time);
    const pause = scheduler.createYield();
    const call = heldCalls(scheduler);
    const answered = call.start();
    await workUntilWait(time, pause);
    call.end();
    assert.equal(await answered, "answer");
    time.work(followUpMs);
    for (let pieces = 0; pieces < 20; pieces++) {
      time.work(pieceMs);
      assert.ok(await isAtOnce(pause()));
    }
  });

  it("does not wait for a call that takes long", async () => {
    const time = new ThreadTime();
    const scheduler = new CooperativeScheduler(time);
    const pause = scheduler.createYield();
    const calls = heldCalls(scheduler);
    void calls.start();
    await workUntilWait(time, pause);
    time.work(shortCallMsMax);
    assert.ok(await isAtOnce(pause()));
    time.work(2 * burstMs);
    assert.ok(await isAtOnce(pause()));
    void calls.start();
    await workUntilWait(time, pause);
  });

  it("does not wait for a short call that failed", async () => {
    const time = new ThreadTime();
    const scheduler = new CooperativeScheduler(time);
    const pause = scheduler.createYield();
    const call = heldCalls(scheduler);
    const failing = call.start();
    call.fail();
    await assert.rejects(failing, /no answer/);
    time.work(followUpMs);
    time.work(2 * burstMs);
    assert.ok(await isAtOnce(pause()));
  });
});

describe("long answers beside constant short calls", () => {
  for (const count of [1, 3]) {
    it(`get their share together: ${count}`, async () => {
      const time = new ThreadTime();
      const scheduler = new CooperativeScheduler(time);
      const calls = heldCalls(scheduler);
      let pieces = 0;
      const beganMs = time.nowMs();
      const makeLongAnswer = async () => {
        const pause = scheduler.createYield();
        while (time.nowMs() - beganMs < 500) {
          void calls.start();
          time.work(pieceMs);
          pieces += 1;
          await pause();
        }
      };
      await time.runUntil(Promise.all(Array.from({ length: count }, makeLongAnswer)));
      const used = (pieces * pieceMs) / (time.nowMs() - beganMs);
      assert.ok(
        used > 0.95 * longWorkShare && used < 1.05 * longWorkShare,
        `${used} of the thread`,
      );
    });
  }
});
