/**
 * How limits become slots and connections. The primary process computes with them before it starts
 * workers, so this file imports nothing: it must not load pools there.
 */

/** The share of one worker in a limit for all workers of a server. */
export function shareOfWorker(limit: number, workers: number): number {
  return Math.max(1, Math.floor(limit / workers));
}

/** A quarter more than the slots, for organisations that have none. */
export function reservedSlots(slots: number): number {
  return Math.ceil(slots / 4);
}

/** How many connections a pool with these slots needs. */
export function connectionsFor(slots: number): number {
  return slots + reservedSlots(slots);
}
