/** Calls of a validator at a steady pace, and how they ended. */
import { setTimeout as sleep } from "node:timers/promises";
import { type AccessTokenValidator, TokenRefusedError } from "@stowage/access-token";

/** `accepted`, or the reason why the token was refused. */
type End = string;

/** Calls of which several are in progress at once. */
export class CountedCalls {
  readonly ends = new Map<End, number>();
  readonly #validator: AccessTokenValidator;
  readonly #inProgress = new Set<Promise<void>>();

  constructor(validator: AccessTokenValidator) {
    this.#validator = validator;
  }

  /** @param onEnd gets how and when the call ended. */
  call(token: string, onEnd: (end: End, timeMs: number) => void = () => undefined): void {
    const call = this.#endOf(token).then((end) => {
      onEnd(end, performance.now());
      this.ends.set(end, (this.ends.get(end) ?? 0) + 1);
      this.#inProgress.delete(call);
    });
    this.#inProgress.add(call);
  }

  /** Rejects when a call failed with anything but a refusal of its token. */
  async allEnded(): Promise<void> {
    await Promise.all(this.#inProgress);
  }

  async #endOf(token: string): Promise<End> {
    try {
      await this.#validator.validate(token);
      return "accepted";
    } catch (error) {
      if (error instanceof TokenRefusedError) return error.reason;
      throw error;
    }
  }
}

interface Pace {
  readonly perSecond: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** Acts evenly over the time. Each act gets the time when it was due, which is a little before. */
export async function paced(
  { perSecond, seconds, signal }: Pace,
  act: (dueMs: number) => void,
): Promise<void> {
  const startMs = performance.now();
  const everyMs = 1000 / perSecond;
  const times = Math.round(seconds * perSecond);
  for (let done = 0; done < times; await sleep(1, undefined, { signal })) {
    const due = Math.min(times, Math.floor((performance.now() - startMs) / everyMs) + 1);
    for (; done < due; done++) act(startMs + done * everyMs);
  }
}

/** In milliseconds from the first call. */
export interface Acceptance {
  /** When the last refused call was made. Every later one is accepted. */
  readonly lastRefusedMs: number;
  /** When the first call was accepted. */
  readonly firstAcceptedMs: number;
}

/** How often the owner of a token calls, without waiting for the last answer. */
const tryEveryMs = 20;

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
