/** One case: an endpoint of its own, a validator, and who asks that for what. */
import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { createAccessTokenValidator, remoteKeySet } from "@stowage/access-token";
import {
  audience,
  issueToken,
  makeSigningKey,
  type SigningKey,
  withUnknownKey,
} from "../tokens/sample-tokens.ts";
import { CountedCalls } from "./counted-calls.ts";
import type { Behaviour } from "./endpoint-messages.ts";
import { EndpointProcess } from "./endpoint-process.ts";
import { mostInWindow } from "./most-in-window.ts";
import { paced } from "./paced.ts";
import { type Acceptance, untilAccepted } from "./until-accepted.ts";

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
  /** What became of the requests under unknown keys, and of the good tokens. */
  readonly unknownEnds: ReadonlyMap<string, number>;
  readonly goodEnds: ReadonlyMap<string, number>;
  /** How long a good token took, in nanoseconds: from the call, and from when it was due. */
  readonly fromCall: RecordableHistogram;
  readonly fromDue: RecordableHistogram;
  /** A token under the new key, from its publication on. */
  readonly newKey: Acceptance | undefined;
}

/** In which the issuer may see two fetches. */
const windowMs = 10_000;
const goodPerSecond = 200;

export async function runFloodCase(
  floodCase: FloodCase,
  seconds: number,
  signal: AbortSignal,
): Promise<FloodOutcome> {
  const { behaviour, unknownPerSecond, publishedAt } = floodCase;
  await using endpoint = await EndpointProcess.start();
  const issuer = endpoint.address;
  const [key, newKey] = [makeSigningKey(), makeSigningKey()];
  const tokenUnder = (signingKey: SigningKey) =>
    issueToken(signingKey, { claims: { iss: issuer } });
  const good = tokenUnder(key);
  // Without its cache, so that every token asks the key set.
  const keySet = remoteKeySet({ issuer });
  const validator = createAccessTokenValidator({ issuer, audience, keySet, cache: false });
  await endpoint.obey({ behaviour: "up", keys: [key.jwk] });
  await validator.validate(good);
  await endpoint.obey({ behaviour, keys: [key.jwk] });

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
    await endpoint.obey({ behaviour, keys: [key.jwk, newKey.jwk] });
    return untilAccepted(validator, tokenUnder(newKey), signal);
  };
  const newKeyAccepted = publishedAt === undefined ? undefined : publishing(publishedAt);
  await Promise.all([flood, sampling, newKeyAccepted]);
  await Promise.all([unknown.allEnded(), known.allEnded()]);
  await endpoint.obey({ behaviour: "failing", keys: [] });
  return {
    floodCase,
    fetchesInAnyWindow: mostInWindow(endpoint.fetchTimesMs, windowMs),
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
