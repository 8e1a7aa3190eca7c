/** Calls of a subject: whether it validates, and how many calls it manages in a time. */
import type { Call, Subject } from "./subjects.ts";

/**
 * Throws unless the subject accepts a good token and refuses every bad one, also after it has put
 * the good one into its cache. Figures of a program that does not validate would mean nothing.
 */
export async function requireValidation(
  subject: Subject,
  goodToken: string,
  badTokens: readonly string[],
): Promise<void> {
  const unsigned = goodToken.replace(/[^.]*$/, "");
  const tokens = [goodToken, unsigned, ...(subject.signatureOnly ? [] : badTokens)];
  const call = await subject.prepare({ name: "", tokens, take: (index) => tokens[index]! });
  for (const index of [0, ...tokens.keys()]) {
    const isAccepted = await (async () => call(index))().then(
      () => true,
      () => false,
    );
    if (isAccepted !== (index === 0)) {
      throw new Error(`Cannot measure ${subject.name}: it accepts a bad token, or no good one`);
    }
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
