import { setTimeout as sleep } from "node:timers/promises";
import type { AccessTokenValidator } from "@stowage/access-token";
import { CountedCalls } from "./counted-calls.ts";

/** How often whoever has the token tries again, without waiting for the last answer. */
const tryEveryMs = 20;

/** Gives the milliseconds from now until the token was first accepted. */
export async function untilAccepted(
  validator: AccessTokenValidator,
  token: string,
  signal: AbortSignal,
): Promise<number> {
  const tries = new CountedCalls(validator);
  const startMs = performance.now();
  let acceptedMs = Number.POSITIVE_INFINITY;
  while (acceptedMs === Number.POSITIVE_INFINITY) {
    tries.call(token, (end, endedMs) => {
      if (end === "accepted") acceptedMs = Math.min(acceptedMs, endedMs);
    });
    await sleep(tryEveryMs, undefined, { signal });
  }
  await tries.allEnded();
  return acceptedMs - startMs;
}
