/** The load generator: starts calls at a constant rate, or one after another in loops. */
import { setTimeout } from "node:timers/promises";

/** Makes one call. It gets the number of the call, and when it was due. */
type Work = (number: number, dueMs: number) => Promise<unknown>;

interface Load {
  /** Calls begun so far. */
  readonly begun: number;
  /** Begins no more calls, and waits for running ones. Rejects with the first error of a call. */
  stop(): Promise<void>;
}

/** With more running calls than this, nothing answers: no further call begins. */
const runningMax = 500;

/** Begins so many calls a second, whether or not earlier ones have ended. Catches up if late. */
export function atConstantRate(perSecond: number, work: Work): Load {
  return startLoad(async (load) => {
    const startMs = performance.now();
    const running = new Set<Promise<unknown>>();
    const dueMsOf = (number: number) => startMs + (number / perSecond) * 1000;
    while (!load.isStopping) {
      while (dueMsOf(load.begun) <= performance.now() && running.size < runningMax) {
        const call: Promise<unknown> = work(load.begun, dueMsOf(load.begun))
          .catch((error: unknown) => load.errors.push(error))
          .finally(() => running.delete(call));
        load.begun += 1;
        running.add(call);
      }
      await setTimeout(1);
    }
    await Promise.all(running);
  });
}

/** Calls in so many loops at once. Each begins a call as soon as its last one has ended. */
export function inLoops(width: number, work: Work): Load {
  return startLoad(async (load) => {
    const loop = async () => {
      while (!load.isStopping) await work(load.begun++, performance.now());
    };
    await Promise.all(Array.from({ length: width }, loop));
  });
}

interface State {
  begun: number;
  isStopping: boolean;
  readonly errors: unknown[];
}

function startLoad(run: (state: State) => Promise<void>): Load {
  const state: State = { begun: 0, isStopping: false, errors: [] };
  const ended = run(state).catch((error: unknown) => void state.errors.push(error));
  return {
    get begun() {
      return state.begun;
    },
    async stop() {
      state.isStopping = true;
      await ended;
      if (state.errors.length > 0) throw state.errors[0];
    },
  };
}
