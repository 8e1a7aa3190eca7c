import type { DescMessage } from "@bufbuild/protobuf";
import type { Handler } from "../http/handler.ts";

/** How long a long answer runs before it yields, while short calls are under way. */
export const sliceMs = 0.5;
/** How long it then waits, times the number of long answers that wait: together they keep 10 %. */
export const waitMs = 5;
/** A caller often sends its next request right after an answer. It is expected for this long. */
export const followUpMs = 2;

/** Lets short calls run before long answers, which are made in slices. */
export class Yielding {
  #shortCalls = 0;
  #lastEndMs = Number.NEGATIVE_INFINITY;
  #waiting = 0;

  /** The same operation, with its calls counted as short. */
  short<Input extends DescMessage>(handler: Handler<Input>): Handler<Input> {
    return async (request, call) => {
      this.#shortCalls += 1;
      try {
        return await handler(request, call);
      } finally {
        this.#shortCalls -= 1;
        this.#lastEndMs = performance.now();
      }
    };
  }

  /** Returns the function that one long answer awaits between its slices. */
  longAnswer(): () => Promise<void> {
    let sliceStartMs = performance.now();
    return async () => {
      const nowMs = performance.now();
      const isBusy = this.#shortCalls > 0 || nowMs - this.#lastEndMs < followUpMs;
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
}
