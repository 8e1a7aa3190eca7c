/** Starts tasks at a constant rate, whether or not earlier ones have ended. */
import { setTimeout } from "node:timers/promises";

interface ConstantRateLoad {
  /** Tasks started so far. */
  readonly begun: number;
  /** Starts no more tasks and waits for running ones. Rejects with the first error of any task. */
  stop(): Promise<void>;
}

/** With more running tasks than this, nothing answers: no further task starts. */
const underWayMax = 500;

/** Starts the given number of tasks per second. Catches up if the machine was busy. */
export function atConstantRate(perSecond: number, work: () => Promise<void>): ConstantRateLoad {
  const underWay = new Set<Promise<void>>();
  const errors: unknown[] = [];
  let begun = 0;
  let isStopping = false;

  function begin(): void {
    begun += 1;
    const piece = work()
      .catch((error: unknown) => void errors.push(error))
      .finally(() => underWay.delete(piece));
    underWay.add(piece);
  }

  async function run(): Promise<void> {
    const startedMs = performance.now();
    while (!isStopping) {
      const dueCount = ((performance.now() - startedMs) / 1000) * perSecond;
      while (begun < dueCount && underWay.size < underWayMax) begin();
      await setTimeout(1);
    }
    await Promise.all(underWay);
    if (errors.length > 0) throw errors[0];
  }

  const running = run();
  // `stop` reports the error.
  running.catch(() => undefined);
  return {
    get begun() {
      return begun;
    },
    stop() {
      isStopping = true;
      return running;
    },
  };
}
