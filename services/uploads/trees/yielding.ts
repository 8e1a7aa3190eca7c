import type { DescMessage } from "@bufbuild/protobuf";
import type { UnaryHandler } from "../http/handler.ts";

/** What a long answer takes at a time while short calls are under way. */
export const sliceMs = 0.5;
/** What each then waits, times those that wait: together they keep a tenth. */
export const waitMs = 5;
/** Who has just been answered often asks again: for so long after a call, others are expected. */
export const lullMs = 2;

/** Lets short calls go before long answers, which are made in pieces. */
export class RightOfWay {
  #shortCalls = 0;
  #lastEndMs = Number.NEGATIVE_INFINITY;
  /** Long answers that wait. */
  #waiting = 0;

  /** The same operation, as one whose calls are short. */
  short<Input extends DescMessage, Output extends DescMessage>(
    handler: UnaryHandler<Input, Output>,
  ): UnaryHandler<Input, Output> {
    return {
      message: (request, call) => this.#beforeOthers(() => handler.message(request, call)),
      json: (request, call) => this.#beforeOthers(() => handler.json(request, call)),
    };
  }

  /** Gives what a long answer awaits between its pieces. */
  longAnswer(): () => Promise<void> {
    let sliceStartMs = performance.now();
    return async () => {
      const nowMs = performance.now();
      const isBusy = this.#shortCalls > 0 || nowMs - this.#lastEndMs < lullMs;
      if (isBusy && nowMs - sliceStartMs < sliceMs) return;
      if (isBusy) await this.#wait();
      sliceStartMs = performance.now();
    };
  }

  async #wait(): Promise<void> {
    this.#waiting += 1;
    await new Promise((resolve) => setTimeout(resolve, waitMs * this.#waiting));
    this.#waiting -= 1;
  }

  async #beforeOthers<Result>(answer: () => Promise<Result>): Promise<Result> {
    this.#shortCalls += 1;
    try {
      return await answer();
    } finally {
      this.#shortCalls -= 1;
      this.#lastEndMs = performance.now();
    }
  }
}
