import { setTimeout as sleep } from "node:timers/promises";
import type { AccessTokenValidator } from "@stowage/access-token";
import { CountedCalls } from "./counted-calls.ts";

/** How often whoever has the token tries again, without waiting for the last answer. */
const tryEveryMs = 20;

/** In milliseconds from the first call. */
export interface Acceptance {
  /** When the last call was made that was refused; every later one is accepted. */
  readonly lastRefusedMs: number;
  /** When the first acceptance came. */
  readonly firstAcceptedMs: number;
}

/** Calls from now on, until the token is accepted. */
export async function untilAccepted(
  validator: AccessTokenValidator,
  token: string,
  signal: AbortSignal,
): Promise<Acceptance> {
  const tries = new CountedCalls(validator);
  const startMs = performance.now();
  let lastRefusedMs = 0;
  let firstAcceptedMs = Number.POSITIVE_INFINITY;
  while (firstAcceptedMs === Number.POSITIVE_INFINITY) {
    const calledMs = performance.now();
    tries.call(token, (end, endedMs) => {
      if (end === "accepted") firstAcceptedMs = Math.min(firstAcceptedMs, endedMs - startMs);
      else lastRefusedMs = Math.max(lastRefusedMs, calledMs - startMs);
    });
    await sleep(tryEveryMs, undefined, { signal });
  }
  await tries.allEnded();
  return { lastRefusedMs, firstAcceptedMs };
}
