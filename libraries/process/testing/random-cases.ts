/**
 * How many random cases a test checks: all where all tests run (`ALL=1`), else a quarter. Their
 * seeds differ, so that the daily runs add up.
 */
export function randomCases(count: number): number {
  return process.env.ALL === "1" ? count : Math.ceil(count / 4);
}
