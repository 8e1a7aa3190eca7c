/** Calls of a subject: whether it validates, and how many calls it manages in a time. */
import type { BadToken } from "./sample-tokens.ts";
import type { Call, Subject } from "./subjects.ts";

/**
 * Throws unless the subject accepts a good token and refuses every bad one, also after it has put
 * the good one into its cache. Figures of a program that does not validate would mean nothing.
 */
export async function requireValidation(
  subject: Subject,
  goodToken: string,
  badTokens: readonly BadToken[],
): Promise<void> {
  for (const { token: badToken, fault, signatureVerifies } of badTokens) {
    if (subject.signatureOnly && signatureVerifies) continue;
    const tokens = [goodToken, badToken];
    const call = await subject.prepare({ name: "", tokens, take: (index) => tokens[index]! });
    for (const index of [0, 0, 1, 1, 0]) {
      const isGood = index === 0;
      if ((await accepts(call, index)) === isGood) continue;
      const act = isGood ? "it refuses a good token" : `it accepts a token ${fault}`;
      throw new Error(`Cannot measure ${subject.name}: ${act}`);
    }
  }
}

async function accepts(call: Call, index: number): Promise<boolean> {
  try {
    await call(index);
    return true;
  } catch {
    return false;
  }
}

/** The clock is read once in this many calls, because reading it takes longer than some calls. */
const callsPerLook = 64;

/**
 * Calls for so long, with `width` calls in progress. Gives calls a second, and the processor time
 * of a call in µs on all threads.
 */
export async function measureCalls(
  call: Call,
  width: number,
  milliseconds: number,
): Promise<[number, number]> {
  const processorBefore = process.cpuUsage();
  const startMs = performance.now();
  let calls = 0;
  let isOver = false;
  const callInTurn = async () => {
    do {
      const answer = call(calls++);
      // An answer that is there at once need not wait in the queue of promises.
      if (width > 1 || answer instanceof Promise) await answer;
      if (calls % callsPerLook === 0) isOver = performance.now() - startMs >= milliseconds;
    } while (!isOver);
  };
  await Promise.all(Array.from({ length: width }, callInTurn));
  const tookMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(processorBefore);
  return [(calls / tookMs) * 1000, (user + system) / calls];
}
