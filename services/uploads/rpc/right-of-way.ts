import type { DescMessage } from "@bufbuild/protobuf";
import type { UnaryHandler } from "./unary-handler.ts";

/** What a long answer takes at a time while short calls are under way. */
export const sliceMs = 1;
/** What each then waits at most, times those that wait: together they keep a quarter. */
export const waitMaxMs = 3;

/** Lets short calls go before long answers, which are made in pieces. */
export class RightOfWay {
  #shortCalls = 0;
  /** What goes on once no short call is under way. */
  readonly #waiting = new Set<() => void>();

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
      const isUsedUp = performance.now() - sliceStartMs >= sliceMs;
      if (this.#shortCalls > 0 && !isUsedUp) return;
      if (this.#shortCalls > 0) await this.#untilFree();
      sliceStartMs = performance.now();
    };
  }

  #untilFree(): Promise<void> {
    return new Promise((resolve) => {
      const goOn = () => {
        clearTimeout(timer);
        this.#waiting.delete(goOn);
        resolve();
      };
      const timer = setTimeout(goOn, waitMaxMs * (this.#waiting.size + 1));
      this.#waiting.add(goOn);
    });
  }

  async #beforeOthers<Result>(answer: () => Promise<Result>): Promise<Result> {
    this.#shortCalls += 1;
    try {
      return await answer();
    } finally {
      this.#shortCalls -= 1;
      if (this.#shortCalls === 0) for (const goOn of this.#waiting) goOn();
    }
  }
}
