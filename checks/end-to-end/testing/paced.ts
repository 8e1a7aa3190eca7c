/** Work at an even pace, whether or not the earlier pieces are done: as a crowd sends requests. */
import { setTimeout } from "node:timers/promises";

export interface Paced {
  /** Pieces begun so far. */
  readonly begun: number;
  /** Begins no more, and waits for those under way. Rejects with the first error of any piece. */
  stop(): Promise<void>;
}

/** More under way than this means that nothing answers; it waits then. */
const underWayMax = 500;

/** Begins pieces of work, so many a second; what it missed on a busy machine, it makes up. */
export function atPace(perSecond: number, work: () => Promise<void>): Paced {
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
  // Told to whoever stops it.
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
