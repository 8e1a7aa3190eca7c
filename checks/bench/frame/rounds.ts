/**
 * Contestants take turns, many times and briefly, so that whatever else the machine does falls on
 * all of them alike, and each round can be judged by itself.
 */
export interface RoundsOptions {
  /** No round begins later; the first ones run in any case. */
  readonly seconds: number;
  readonly roundsMin: number;
  readonly signal: AbortSignal;
}

export async function runRounds<Contestant>(
  contestants: readonly Contestant[],
  { seconds, roundsMin, signal }: RoundsOptions,
  turn: (contestant: Contestant) => Promise<void>,
): Promise<void> {
  const endMs = performance.now() + seconds * 1000;
  for (let round = 0; round < roundsMin || performance.now() < endMs; round++) {
    for (const contestant of inOrderOf(round, contestants)) {
      signal.throwIfAborted();
      await turn(contestant);
    }
  }
}

/**
 * Each round begins with another contestant, and every second one runs backwards: nobody always
 * comes after the same one, whose garbage it may have to collect.
 */
export function inOrderOf<Contestant>(
  round: number,
  contestants: readonly Contestant[],
): Contestant[] {
  const start = round % Math.max(1, contestants.length);
  const rotated = [...contestants.slice(start), ...contestants.slice(0, start)];
  return round % 2 === 0 ? rotated : rotated.reverse();
}
