import { setTimeout } from "node:timers/promises";

/**
 * The share of the thread that all long answers together may use while short calls are under way:
 * calls of which one began a moment ago. With a third, a tree beside constant lists has at least a
 * quarter of its speed alone.
 */
export const longWorkShare = 1 / 3;
/** The longest piece of work of a long answer. Short calls wait for its end. */
export const burstMs = 1;
/** If more time passes between two pauses, other calls ran as well: count only this much. */
const workMsMax = 0.5;
/** A caller often sends its next request right after an answer. It is expected for this long. */
export const followUpMs = 2;
/** Calls that take longer mostly wait: for a connection, or for a long scan of the database. */
export const shortCallMsMax = 100;

interface Clock {
  nowMs(): number;
  wait(milliseconds: number): Promise<unknown>;
}

const systemClock: Clock = { nowMs: () => performance.now(), wait: (ms) => setTimeout(ms) };

/**
 * Lets short calls run before long answers, which are made in small pieces and pause in between.
 *
 * While short calls are under way, a token bucket of working time limits the long answers, all of
 * them together. It fills with `longWorkShare` of the time that passes, up to `burstMs`.
 */
export class CooperativeScheduler {
  #shortCalls = 0;
  #lastBeginMs = Number.NEGATIVE_INFINITY;
  #lastEndMs = Number.NEGATIVE_INFINITY;
  /** The time in the bucket. Negative: the time that long answers worked too much. */
  #creditMs = burstMs;
  #refilledAtMs = 0;
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Returns the same operation. Its calls are short ones, which long answers yield to. */
  trackShort<Input extends readonly unknown[], Result>(
    operation: (...input: Input) => Promise<Result>,
  ): (...input: Input) => Promise<Result> {
    return async (...input) => {
      this.#shortCalls += 1;
      this.#lastBeginMs = this.#clock.nowMs();
      try {
        return await operation(...input);
      } finally {
        this.#shortCalls -= 1;
        this.#lastEndMs = this.#clock.nowMs();
      }
    };
  }

  /** Returns the function that one long answer awaits after each small piece of work. */
  createYield(): () => Promise<void> {
    let beganMs = this.#clock.nowMs();
    return async () => {
      const nowMs = this.#clock.nowMs();
      this.#refill(nowMs);
      this.#creditMs -= Math.min(nowMs - beganMs, workMsMax);
      const isUnderWay = this.#shortCalls > 0 && nowMs - this.#lastBeginMs < shortCallMsMax;
      const isBusy = isUnderWay || nowMs - this.#lastEndMs < followUpMs;
      if (!isBusy) this.#creditMs = burstMs;
      else if (this.#creditMs < 0) await this.#clock.wait(-this.#creditMs / longWorkShare);
      beganMs = this.#clock.nowMs();
    };
  }

  #refill(nowMs: number): void {
    const earnedMs = (nowMs - this.#refilledAtMs) * longWorkShare;
    this.#creditMs = Math.min(this.#creditMs + earnedMs, burstMs);
    this.#refilledAtMs = nowMs;
  }
}
