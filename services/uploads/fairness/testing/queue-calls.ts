/** Calls that wait for the slots of a fair queue, for tests of its rules. */
import { FairQueue, type ReleaseSlot } from "../fair-queue.ts";

export const never = new AbortController().signal;

export function queueOf({
  slots = 2,
  reservedSlots = 0,
  waitingMax = 1000,
  weights = {},
  revocableAfterMs = Number.POSITIVE_INFINITY,
  nowMs = (): number => 0,
} = {}) {
  const weightOf = (tenant: string) => (weights as Record<string, number>)[tenant] ?? 1;
  const limits = { slots, reservedSlots, waitingMax, waitMaxMs: 60_000, revocableAfterMs };
  return new FairQueue({ ...limits, weightOf, nowMs });
}

/**
 * Makes calls, and notes in which order they get their slots.
 *
 * @param options.endsRevoked whether revoked slots are released at once.
 */
export function callsTo(queue: FairQueue, { endsRevoked = true } = {}) {
  const served: { name: string; release: ReleaseSlot }[] = [];
  const refused: unknown[] = [];
  const revoked: string[] = [];
  const release = (name: string) => served.find((call) => call.name === name)?.release();
  return {
    served,
    revoked,
    release,
    refused,
    names: () => served.map(({ name }) => name),
    /** A call of a client, which belongs to the tenant of the same first letter. */
    async call(name: string, signal = never): Promise<void> {
      const client = name.replace(/\d+$/, "");
      const revoke = () => {
        revoked.push(name);
        if (endsRevoked) release(name);
      };
      const caller = { tenant: client.slice(0, 1), client, revoke };
      await queue.acquire(caller, signal).then(
        (release) => served.push({ name, release }),
        (error) => refused.push(error),
      );
    },
    async callAll(...names: string[]): Promise<void> {
      for (const name of names) void this.call(name);
      await settled();
    },
    /** Gives the slots back in the order in which they were taken, until none is held. */
    async finishAll(): Promise<void> {
      // The list grows meanwhile, by the calls that get the slots.
      for (const { release } of served) {
        release();
        await settled();
      }
    },
  };
}

export const settled = () => new Promise((resolve) => setImmediate(resolve));
export const numbered = (client: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${client}${index + 1}`);
