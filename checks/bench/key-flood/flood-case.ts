/** One case of the flood: an endpoint, a validator, and the calls of it. */
import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { createAccessTokenValidator, remoteKeySet } from "@stowage/access-token";
import { WorkerProcess } from "../programs/worker-process.ts";
import {
  audience,
  issueToken,
  makeSigningKey,
  type SigningKey,
  withUnknownKey,
} from "../tokens/sample-tokens.ts";
import { type Acceptance, CountedCalls, paced, untilAccepted } from "./calls.ts";
import type { Behaviour, EndpointCommand, EndpointReport } from "./endpoint.ts";

export interface FloodCase {
  readonly title: string;
  readonly unknownPerSecond: number;
  readonly behaviour: Behaviour;
  /** When a new key is published, if one is: 0 at the start, right after a fetch; 0.5 midway. */
  readonly publishedAt?: number;
}

export interface FloodOutcome {
  readonly floodCase: FloodCase;
  readonly fetchesInAnyWindow: number;
  /** How the calls with unknown keys and with good tokens ended. */
  readonly unknownEnds: ReadonlyMap<string, number>;
  readonly goodEnds: ReadonlyMap<string, number>;
  /** How long a good token took, in nanoseconds: from the call, and from when it was due. */
  readonly fromCall: RecordableHistogram;
  readonly fromDue: RecordableHistogram;
  /** A token under the new key, from its publication on. */
  readonly newKey: Acceptance | undefined;
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
  await using endpoint = new WorkerProcess<EndpointCommand, EndpointReport>(
    new URL("endpoint.ts", import.meta.url),
  );
  const [key, newKey] = [makeSigningKey(), makeSigningKey()];
  const { port } = await endpoint.run({ behaviour: "up", keys: [key.jwk] });
  const issuer = `http://127.0.0.1:${port}`;
  const tokenUnder = (signingKey: SigningKey) =>
    issueToken(signingKey, { claims: { iss: issuer } });
  const good = tokenUnder(key);
  // Without its cache, so that every token asks the key set.
  const keySet = remoteKeySet({ issuer });
  const validator = createAccessTokenValidator({ issuer, audience, keySet, cache: false });
  await validator.validate(good);
  await endpoint.run({ behaviour, keys: [key.jwk] });

  const [unknown, known] = [new CountedCalls(validator), new CountedCalls(validator)];
  const [fromCall, fromDue] = [createHistogram(), createHistogram()];
  const flood = paced({ perSecond: unknownPerSecond, seconds, signal }, () =>
    unknown.call(withUnknownKey(good)),
  );
  const sampling = paced({ perSecond: goodPerSecond, seconds, signal }, (dueMs) => {
    const calledMs = performance.now();
    known.call(good, (_end, endedMs) => {
      fromCall.record(nanoseconds(endedMs - calledMs));
      fromDue.record(nanoseconds(endedMs - dueMs));
    });
  });
  const publishing = async (share: number) => {
    await sleep(share * seconds * 1000, undefined, { signal });
    await endpoint.run({ behaviour, keys: [key.jwk, newKey.jwk] });
    return untilAccepted(validator, tokenUnder(newKey), signal);
  };
  const newKeyAccepted = publishedAt === undefined ? undefined : publishing(publishedAt);
  await Promise.all([flood, sampling, newKeyAccepted]);
  await Promise.all([unknown.allEnded(), known.allEnded()]);
  const { fetchTimesMs } = await endpoint.run({ behaviour: "failing", keys: [] });
  return {
    floodCase,
    fetchesInAnyWindow: mostInWindow(fetchTimesMs, windowMs),
    unknownEnds: unknown.ends,
    goodEnds: known.ends,
    fromCall,
    fromDue,
    newKey: await newKeyAccepted,
  };
}

function nanoseconds(ms: number): number {
  return Math.max(1, Math.round(ms * 1e6));
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
