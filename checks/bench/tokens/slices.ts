/** A slice: so many calls by one contestant, one at a time or several at once. */
import type { Call } from "./contestants.ts";

export interface Slice {
  readonly calls: number;
  /** How many calls are under way at any moment. */
  readonly width: number;
}

export interface SliceRate {
  readonly callsPerSecond: number;
  /** Of all threads of the process. */
  readonly processorMicrosecondsPerCall: number;
}

/** Reads no clock between the calls: the shortest take less than that would. */
export async function measureRate(call: Call, slice: Slice): Promise<SliceRate> {
  const processorBefore = process.cpuUsage();
  const startMs = performance.now();
  await (slice.width === 1 ? callInTurn(call, slice) : callAtOnce(call, slice));
  const tookMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(processorBefore);
  return {
    callsPerSecond: (slice.calls / tookMs) * 1000,
    processorMicrosecondsPerCall: (user + system) / slice.calls,
  };
}

/** Every call's own time, in milliseconds. */
export async function measureLatencies(call: Call, slice: Slice): Promise<Float64Array> {
  const latenciesMs = new Float64Array(slice.calls);
  if (slice.width === 1) await timeInTurn(call, latenciesMs);
  else await timeAtOnce(call, slice.width, latenciesMs);
  return latenciesMs;
}

async function callInTurn(call: Call, { calls }: Slice): Promise<void> {
  for (let index = 0; index < calls; index++) {
    const answer = call(index);
    // Whoever gives the answer at once need not wait for its turn in the queue of promises.
    if (answer instanceof Promise) await answer;
  }
}

async function timeInTurn(call: Call, latenciesMs: Float64Array): Promise<void> {
  let lastMs = performance.now();
  for (let index = 0; index < latenciesMs.length; index++) {
    const answer = call(index);
    if (answer instanceof Promise) await answer;
    const nowMs = performance.now();
    latenciesMs[index] = nowMs - lastMs;
    lastMs = nowMs;
  }
}

async function callAtOnce(call: Call, { calls, width }: Slice): Promise<void> {
  let next = 0;
  const caller = async () => {
    while (next < calls) await call(next++);
  };
  await Promise.all(Array.from({ length: width }, caller));
}

async function timeAtOnce(call: Call, width: number, latenciesMs: Float64Array): Promise<void> {
  let next = 0;
  const caller = async () => {
    while (next < latenciesMs.length) {
      const index = next++;
      const startMs = performance.now();
      await call(index);
      latenciesMs[index] = performance.now() - startMs;
    }
  };
  await Promise.all(Array.from({ length: width }, caller));
}
