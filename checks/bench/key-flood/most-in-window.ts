/** The most of these times, in order, that lie within any window of this length. */
export function mostInWindow(timesMs: readonly number[], windowMs: number): number {
  let most = 0;
  let first = 0;
  for (const [last, timeMs] of timesMs.entries()) {
    while (timeMs - timesMs[first]! >= windowMs) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
