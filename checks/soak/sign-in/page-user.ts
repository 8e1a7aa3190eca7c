/** A person with a page that signs in and refreshes, again and again, and loses no grant. */
import { setTimeout } from "node:timers/promises";
import { untilAborted } from "@stowage/process";
import type { CallLog } from "../call-log.ts";
import { type Got, getTokens, outcomeOf, refresh, signIn } from "./calls.ts";
import type { Person, World } from "./world.ts";

/** In which a refresh token that was used can be used again (REFRESH_TOKEN_GRACE_S). */
const graceMs = 30_000;
/** As a page would, after `Retry-After`. */
const retryMs = 500;
/** A call that takes longer has not ended. */
const callMaxMs = 60_000;

/** It repeats refused requests, as clients do. */
export async function useService(world: World, person: Person, log: CallLog, signal: AbortSignal) {
  const pause = async (ms: number) =>
    await setTimeout(ms, undefined, { signal }).catch(() => undefined);
  /** Undefined if the service says that trying again is useless, or at the end. */
  const get = async <T>(kind: string, call: () => Promise<Got<T>>): Promise<T | undefined> => {
    const firstMs = performance.now();
    let tries = 0;
    while (!signal.aborted) {
      let result: T | undefined;
      let isFinal = false;
      await log.record(kind, async () => {
        const answer = await untilAborted(call(), AbortSignal.timeout(callMaxMs));
        const outcome = outcomeOf(answer);
        // Several faults in succession may last longer than the grace. A failed exchange may have
        // used up its code.
        const isOver = performance.now() - firstMs > graceMs || (kind === "code" && tries++ > 0);
        const isLate = isOver && outcome.includes("invalid_grant");
        if ("got" in answer) result = answer.got;
        isFinal = "got" in answer || isLate || outcome.startsWith("wrong");
        return isLate ? "right" : outcome;
      });
      if (isFinal) return result;
      await pause(retryMs);
    }
    return undefined;
  };
  while (!signal.aborted) {
    const form = await get("sign-in", () => signIn(world, person));
    let token = form && (await get("code", () => getTokens(world, form)));
    for (let times = 5 + Math.random() * 30; times > 0 && token && !signal.aborted; times--) {
      await pause(Math.random() * 2000);
      const current: string = token;
      token = await get("refresh", () => refresh(world, current));
    }
  }
}
