/** Statements that must hold for many random values. */
import { randomInt } from "node:crypto";
import { randomCases } from "@stowage/process/testing";
import { type Arbitrary, asyncProperty, assert as holds } from "fast-check";

/**
 * The seed of all random values of a run. Every failure names it; setting ATTACKS_SEED to it
 * repeats the run.
 */
export const seed = Number(process.env.ATTACKS_SEED ?? randomInt(1, 2 ** 31));

/** Rejects, with the smallest counter-example found, unless the statement never throws. */
export function always<T extends [unknown, ...unknown[]]>(
  arbitraries: { [K in keyof T]: Arbitrary<T[K]> },
  statement: (...values: T) => Promise<void>,
  runs = 1000,
): Promise<void> {
  return holds(asyncProperty(...arbitraries, statement), { seed, numRuns: randomCases(runs) });
}
