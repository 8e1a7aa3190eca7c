/** One case of the flood: an endpoint, a validator, and the calls of it. */
import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AccessTokenValidator,
  createAccessTokenValidator,
  remoteKeySet,
  TokenRefusedError,
} from "@stowage/access-token";
import { WorkerProcess } from "../programs/worker-process.ts";
import { audience, issueToken, makeSigningKey, withUnknownKey } from "../tokens/sample-tokens.ts";
import type { EndpointCommand, EndpointReport } from "./endpoint.ts";

export interface FloodCase extends Pick<EndpointCommand, "behaviour"> {
  readonly title: string;
  readonly unknownPerSecond: number;
  /** When a new key is published, if one is: 0 at the start, right after a fetch; 0.5 midway. */
  readonly publishedAt?: number;
}

/** How many calls ended how: `accepted`, or the reason for the refusal. */
type Ends = Record<string, number>;

export interface FloodOutcome {
  readonly floodCase: FloodCase;
  readonly fetchesInAnyWindow: number;
  readonly unknownEnds: Ends;
  readonly goodEnds: Ends;
  /** Of calls with a good token, in nanoseconds. */
  readonly goodLatencies: RecordableHistogram;
  /** From the publication of the new key until the last call with it that was refused. */
  readonly newKeyRefusedMs: number | undefined;
}

/** The issuer may see two fetches in any such time. */
const windowMs = 10_000;
const goodPerSecond = 200;

export async function runFloodCase(
  floodCase: FloodCase,
  seconds: number,
  signal: AbortSignal,
): Promise<FloodOutcome> {
  const { behaviour, unknownPerSecond, publishedAt } = floodCase;
  const file = new URL("endpoint.ts", import.meta.url);
  await using endpoint = new WorkerProcess<EndpointCommand, EndpointReport>(file);
  const [key, newKey] = [makeSigningKey(), makeSigningKey()];
  const { port } = await endpoint.run({ behaviour: "up", keys: [key.jwk] });
  const issuer = `http://127.0.0.1:${port}`;
  const [good, underNewKey] = [key, newKey].map((signingKey) =>
    issueToken(signingKey, { claims: { iss: issuer } }),
  ) as [string, string];
  // Without its cache, so that every token asks the key set.
  const keySet = remoteKeySet({ issuer });
  const validator = createAccessTokenValidator({ issuer, audience, keySet, cache: false });
  await validator.validate(good);
  await endpoint.run({ behaviour, keys: [key.jwk] });

  const [unknownEnds, goodEnds]: [Ends, Ends] = [{}, {}];
  const goodLatencies = createHistogram();
  const publish = async (share: number) => {
    await sleep(share * seconds * 1000, undefined, { signal });
    await endpoint.run({ behaviour, keys: [key.jwk, newKey.jwk] });
    return await untilAccepted(validator, underNewKey, signal);
  };
  const [newKeyRefusedMs] = await Promise.all([
    publishedAt === undefined ? undefined : publish(publishedAt),
    paced({ perSecond: unknownPerSecond, seconds, signal }, async () => {
      count(unknownEnds, await endOf(validator, withUnknownKey(good)));
    }),
    paced({ perSecond: goodPerSecond, seconds, signal }, async () => {
      const calledMs = performance.now();
      count(goodEnds, await endOf(validator, good));
      goodLatencies.record(Math.max(1, Math.round((performance.now() - calledMs) * 1e6)));
    }),
  ]);
  const { fetchTimesMs } = await endpoint.run({ behaviour: "failing", keys: [] });
  const fetchesInAnyWindow = mostInWindow(fetchTimesMs, windowMs);
  const ends = { unknownEnds, goodEnds };
  return { floodCase, fetchesInAnyWindow, ...ends, goodLatencies, newKeyRefusedMs };
}

function count(ends: Ends, end: string): void {
  ends[end] = (ends[end] ?? 0) + 1;
}

async function endOf(validator: AccessTokenValidator, token: string): Promise<string> {
  try {
    await validator.validate(token);
    return "accepted";
  } catch (error) {
    if (error instanceof TokenRefusedError) return error.reason;
    throw error;
  }
}

interface Pace {
  readonly perSecond: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** Starts calls evenly over the time, and waits until all have ended. */
async function paced({ perSecond, seconds, signal }: Pace, call: () => Promise<void>) {
  const startMs = performance.now();
  const times = Math.round(seconds * perSecond);
  const calls: Promise<void>[] = [];
  for (; calls.length < times; await sleep(1, undefined, { signal })) {
    const due = Math.floor(((performance.now() - startMs) * perSecond) / 1000) + 1;
    while (calls.length < Math.min(times, due)) calls.push(call());
  }
  await Promise.all(calls);
}

/** How often the owner of a token calls, without waiting for the last answer. */
const tryEveryMs = 20;

/** Calls until a call is accepted. Gives when the last refused call was made. */
async function untilAccepted(validator: AccessTokenValidator, token: string, signal: AbortSignal) {
  const startMs = performance.now();
  let lastRefusedMs = 0;
  let isAccepted = false;
  const calls: Promise<void>[] = [];
  const call = async (calledMs: number) => {
    if ((await endOf(validator, token)) === "accepted") isAccepted = true;
    else lastRefusedMs = Math.max(lastRefusedMs, calledMs - startMs);
  };
  for (; !isAccepted; await sleep(tryEveryMs, undefined, { signal })) {
    calls.push(call(performance.now()));
  }
  await Promise.all(calls);
  return lastRefusedMs;
}

/** The most of these ascending times within any window of this length. */
export function mostInWindow(timesMs: readonly number[], lengthMs: number): number {
  let most = 0;
  let first = 0;
  for (const [last, timeMs] of timesMs.entries()) {
    while (timeMs - timesMs[first]! >= lengthMs) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
