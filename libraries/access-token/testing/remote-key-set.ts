import type { KeyObject } from "node:crypto";
import type { KeySetEvent } from "../src/key-set/key-set-events.ts";
import { createRemoteKeySet, type RemoteKeySetOptions } from "../src/key-set/remote-key-set.ts";
import { TokenRefusedError } from "../src/token-refused-error.ts";
import { FakeClock, settled } from "./fake-clock.ts";
import { type Answer, hang, startIssuerServer } from "./issuer-server.ts";

/** A key set that asks a real server, in a time that moves only when the test moves it. */
export async function startRemoteKeySet(
  answer: Answer,
  options: Partial<RemoteKeySetOptions> = {},
) {
  const clock = new FakeClock();
  const server = await startIssuerServer(answer);
  const fetchTimesMs: number[] = [];
  const events: KeySetEvent[] = [];
  let downloads = 0;

  const fetchWhole = async (...request: Parameters<typeof fetch>) => {
    fetchTimesMs.push(clock.now());
    downloads++;
    try {
      const response = await fetch(...request);
      const { status } = response;
      return new Response(status === 200 ? await response.bytes() : null, { status });
    } finally {
      downloads--;
    }
  };
  const keySet = createRemoteKeySet(
    {
      onEvent: (event) => void events.push(event),
      ...options,
      issuer: server.address,
      fetch: fetchWhole,
    },
    clock,
  );

  /** Downloads take no time on the clock of the test; hanging ones go on. */
  const downloaded = async () => {
    await settled();
    while (downloads > 0 && server.answer !== hang) await settled();
    await settled();
  };

  return {
    keySet,
    server,
    clock,
    fetchTimesMs,
    events,
    downloaded,
    async advance(ms: number, stepMs = ms) {
      for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
        await clock.advance(Math.min(stepMs, ms - passedMs));
        await downloaded();
      }
    },
    /** `found`, or the reason of the refusal, or `waiting`. */
    async ask(keyId: string): Promise<string> {
      const asked = outcomeOf(() => keySet.getOrFetch(keyId));
      await downloaded();
      return Promise.race([asked, settled().then(() => "waiting")]);
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await clock.advance(10_000);
    },
  };
}

export async function outcomeOf(find: () => KeyObject | Promise<KeyObject>): Promise<string> {
  try {
    await find();
    return "found";
  } catch (error) {
    if (error instanceof TokenRefusedError) return error.reason;
    throw error;
  }
}
