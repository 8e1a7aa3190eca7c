import { AssertionError } from "node:assert/strict";

/** Passes when there are no problems. Otherwise throws an error with one problem on each line. */
export function assertNoProblems(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const message = `found ${problems.length}:\n  ${problems.join("\n  ")}`;
  throw new AssertionError({ message, stackStartFn: assertNoProblems });
}

/**
 * Passes when `exceptions` lists the place of every problem. A listed place that has no problem
 * fails too, so that the list only shrinks.
 *
 * @param placeOf gives the key in `exceptions` that a problem belongs to
 */
export function assertOnlyExceptions(
  problems: readonly string[],
  exceptions: Readonly<Record<string, string>>,
  placeOf: (problem: string) => string = (problem) => problem,
): void {
  const places = new Set(problems.map(placeOf));
  assertNoProblems([
    ...problems.filter((problem) => !Object.hasOwn(exceptions, placeOf(problem))),
    ...Object.keys(exceptions)
      .filter((place) => !places.has(place))
      .map((place) => `${place}: remove it from checks/tidy/exceptions.ts, it has no problem now`),
  ]);
}
