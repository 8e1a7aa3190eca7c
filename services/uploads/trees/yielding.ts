import { setTimeout } from "node:timers/promises";
import type { DescMessage } from "@bufbuild/protobuf";
import type { Handler } from "../http/handler.ts";

/**
 * The share of the thread that all long answers together may use while short calls are under way:
 * calls of which one began a moment ago. With a third, a tree beside constant lists has at least a
 * quarter of its speed alone.
 */
export const share = 1 / 3;
/** The longest piece of work of a long answer. Short calls wait for its end. */
export const burstMs = 1;
/** If more time passes between two pauses, other calls ran as well: count only this much. */
const workMsMax = 0.5;
/** A caller often sends its next request right after an answer. It is expected for this long. */
export const followUpMs = 2;
/** Calls that take longer mostly wait: for a connection, or for a long scan of the database. */
export const shortMs = 100;

interface Clock {
  nowMs(): number;
  wait(milliseconds: number): Promise<unknown>;
}

const systemClock: Clock = { nowMs: () => performance.now(), wait: (ms) => setTimeout(ms) };

/** Lets short calls run before long answers, which are made in slices. */
export class Yielding {
  #shortCalls = 0;
  #lastBeginMs = Number.NEGATIVE_INFINITY;
  #lastEndMs = Number.NEGATIVE_INFINITY;
  /** The work that long answers may do now. Negative: the work that they have done too much. */
  #creditMs = burstMs;
  #creditedAtMs = 0;
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** The same operation, with its calls counted as short. */
  short<Input extends DescMessage>(handler: Handler<Input>): Handler<Input> {
    return async (request, call) => {
      this.#shortCalls += 1;
      this.#lastBeginMs = this.#clock.nowMs();
      try {
        return await handler(request, call);
      } finally {
        this.#shortCalls -= 1;
        this.#lastEndMs = this.#clock.nowMs();
      }
    };
  }

  /** Returns the function that one long answer awaits after each small piece of work. */
  longAnswer(): () => Promise<void> {
    let beganMs = this.#clock.nowMs();
    return async () => {
      const nowMs = this.#clock.nowMs();
      this.#credit(nowMs);
      this.#creditMs -= Math.min(nowMs - beganMs, workMsMax);
      const isUnderWay = this.#shortCalls > 0 && nowMs - this.#lastBeginMs < shortMs;
      const isBusy = isUnderWay || nowMs - this.#lastEndMs < followUpMs;
      if (!isBusy) this.#creditMs = burstMs;
      else if (this.#creditMs < 0) await this.#clock.wait(-this.#creditMs / share);
      beganMs = this.#clock.nowMs();
    };
  }

  #credit(nowMs: number): void {
    const earnedMs = (nowMs - this.#creditedAtMs) * share;
    this.#creditMs = Math.min(this.#creditMs + earnedMs, burstMs);
    this.#creditedAtMs = nowMs;
  }
}
