import { setTimeout as sleep } from "node:timers/promises";

export interface Pace {
  readonly perSecond: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** Acts evenly over the time. Each act learns when it was due, which is a little before. */
export async function paced(
  { perSecond, seconds, signal }: Pace,
  act: (dueMs: number) => void,
): Promise<void> {
  const startMs = performance.now();
  const everyMs = 1000 / perSecond;
  const times = Math.round(seconds * perSecond);
  for (let done = 0; done < times; await sleep(1, undefined, { signal })) {
    const due = Math.min(times, Math.floor((performance.now() - startMs) / everyMs) + 1);
    for (; done < due; done++) act(startMs + done * everyMs);
  }
}
