/** Comparing secrets and passwords with their hashes, which is dear by design. */
import { type BoundedWork, boundedWork } from "./bounded-work.ts";

/**
 * Each takes 16 or 32 MiB and one of the four threads that Node has for such work, of which signing
 * needs one too. Those who wait get their turn within seconds.
 */
const comparisonLimits = { runningMax: 3, waitingMax: 64 };

/** Makes what all comparisons of a process must go through. */
export function hashingWork(): BoundedWork {
  return boundedWork(comparisonLimits);
}
