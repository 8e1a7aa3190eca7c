import { randomInt } from "node:crypto";

/**
 * The seed of all random records and requests of a run. Every failure names it; setting
 * CONFORMANCE_SEED to it repeats the run.
 */
export const seed = Number(process.env.CONFORMANCE_SEED ?? randomInt(1, 2 ** 31));
