import { AssertionError } from "node:assert/strict";

/** Passes when there are no faults. Otherwise the error lists them, one a line. */
export function assertNoFaults(faults: readonly string[]): void {
  if (faults.length === 0) return;
  const message = `found ${faults.length}:\n  ${faults.join("\n  ")}`;
  throw new AssertionError({ message, stackStartFn: assertNoFaults });
}

/**
 * Passes when the faults are those of the places that `exceptions` lists. A listed place without a
 * fault is one as well, so that the list only shrinks.
 *
 * @param placeOf the key in `exceptions` that a fault belongs to
 */
export function assertOnlyExceptions(
  faults: readonly string[],
  exceptions: Readonly<Record<string, string>>,
  placeOf: (fault: string) => string = (fault) => fault,
): void {
  const places = new Set(faults.map(placeOf));
  assertNoFaults([
    ...faults.filter((fault) => !Object.hasOwn(exceptions, placeOf(fault))),
    ...Object.keys(exceptions)
      .filter((place) => !places.has(place))
      .map((place) => `${place}: remove it from checks/tidy/exceptions.ts, it has no fault`),
  ]);
}
