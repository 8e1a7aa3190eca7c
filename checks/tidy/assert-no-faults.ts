import { AssertionError } from "node:assert/strict";

/** Passes when there are no faults. Otherwise the error lists them, one a line. */
export function assertNoFaults(faults: readonly string[]): void {
  if (faults.length === 0) return;
  const message = `found ${faults.length}:\n  ${faults.join("\n  ")}`;
  throw new AssertionError({ message, stackStartFn: assertNoFaults });
}
