import { AssertionError } from "node:assert/strict";

/** Passes when there are no problems. Otherwise throws an error with one problem on each line. */
export function assertNoProblems(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const message = `found ${problems.length}:\n  ${problems.join("\n  ")}`;
  throw new AssertionError({ message, stackStartFn: assertNoProblems });
}

/**
 * Passes when `exceptions` lists every place that has a problem. A listed place that has none fails
 * too, so that the list only shrinks.
 */
export function assertOnlyExceptions(
  places: readonly string[],
  exceptions: Readonly<Record<string, string>>,
): void {
  assertNoProblems([
    ...places.filter((place) => !Object.hasOwn(exceptions, place)),
    ...Object.keys(exceptions)
      .filter((place) => !places.includes(place))
      .map((place) => `${place}: remove it from checks/tidy/exceptions.ts, it has no problem now`),
  ]);
}
