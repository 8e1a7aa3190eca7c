/** Ten thousand requests with made-up key IDs in ten seconds. */
import assert from "node:assert/strict";
import { KeyObject } from "node:crypto";
import { describe, it } from "node:test";
import { type Answer, fail, hang, publish } from "../../testing/issuer-server.ts";
import { outcomeOf, startRemoteKeySet } from "../../testing/remote-key-set.ts";
import { makeSigningKey } from "../../testing/signing-key.ts";

const { jwk: old } = makeSigningKey("old");
const { jwk: fresh } = makeSigningKey("fresh");
const stepMs = 50;

type World = Awaited<ReturnType<typeof startRemoteKeySet>>;

interface Flood {
  readonly perStep: number;
  /** The made-up key ID of each request, by its number. */
  readonly keyId: (number: number) => string;
}

const made = (number: number) => `made up ${number}`;
const repeated = (number: number) => `made up ${number % 100}`;
const thousand: Flood = { perStep: 50, keyId: made };

/** By the requests in a second. Repeated IDs are already known to be absent. */
const floods: Record<string, Flood & { absentBefore: number; keyIsAskedForBefore: boolean }> = {
  "1,000 key IDs": { ...thousand, absentBefore: 0, keyIsAskedForBefore: true },
  "4,000 key IDs": { ...thousand, perStep: 200, absentBefore: 0, keyIsAskedForBefore: true },
  "100 key IDs 10 times": {
    perStep: 50,
    keyId: repeated,
    absentBefore: 100,
    keyIsAskedForBefore: true,
  },
  "100 key IDs 100 times": {
    perStep: 500,
    keyId: repeated,
    absentBefore: 100,
    keyIsAskedForBefore: false,
  },
};

async function send(
  { perStep, keyId }: Flood,
  world: World,
  { durationMs, everyStep }: { durationMs: number; everyStep: (passedMs: number) => void },
): Promise<string[]> {
  const outcomes: Promise<string>[] = [];
  for (let passedMs = 0; passedMs < durationMs; passedMs += stepMs) {
    for (let at = 0; at < perStep; at++) {
      const number = outcomes.length;
      outcomes.push(outcomeOf(() => world.keySet.getOrFetch(keyId(number))));
    }
    everyStep(passedMs);
    await world.advance(stepMs);
  }
  await world.advance(1_000);
  return Promise.all(outcomes);
}

const endpoints: Record<string, [Answer, Set<string>]> = {
  up: [publish(old), new Set(["KEY_UNKNOWN", "KEY_SET_UNAVAILABLE"])],
  "at 503": [fail(503), new Set(["KEY_SET_UNAVAILABLE"])],
  hanging: [hang, new Set(["KEY_SET_UNAVAILABLE"])],
};

describe("a flood of made-up keys", () => {
  for (const [description, [answer, expected]] of Object.entries(endpoints)) {
    for (const startMs of [0, 1_000, 60_000]) {
      it(`fetches twice in 10 s, endpoint ${description}, from ${startMs} ms on`, async () => {
        await using world = await startRemoteKeySet(publish(old));
        await world.keySet.getOrFetch("old");
        await world.advance(startMs);
        world.server.answer = answer;
        const everyStep = () =>
          assert(world.keySet.getOrFetch("old") instanceof KeyObject, "a known key had to wait");
        const outcomes = await send(thousand, world, { durationMs: 30_000, everyStep });
        assert.deepEqual(new Set(outcomes), expected);
        world.fetchTimesMs.forEach((time, at, times) => {
          const third = times[at + 2];
          assert(third === undefined || third - time > 10_000, `fetched at ${times}`);
        });
        assert(world.fetchTimesMs.length >= 4);
      });
    }
  }

  for (const [description, flood] of Object.entries(floods)) {
    for (const publishedMs of [0, 50, 2_500, 5_050]) {
      it(`of ${description} a second: a key works in 5 s, from ${publishedMs} ms on`, async () => {
        const outcomes = await askDuring(flood, publishedMs);
        assert.equal(outcomes.length, 20);
        assert.deepEqual(new Set(outcomes), new Set(["found"]));
      });
    }
  }
});

/** The results of requests for a key from 5 s to 6 s after its publication. */
async function askDuring(flood: (typeof floods)[string], publishedMs: number): Promise<string[]> {
  await using world = await startRemoteKeySet(publish(old));
  const absent = Array.from({ length: flood.absentBefore }, (_, at) => flood.keyId(at));
  const first = ["old", ...absent].map((keyId) => outcomeOf(() => world.keySet.getOrFetch(keyId)));
  await Promise.all(first);

  const asked: Promise<string>[] = [];
  const everyStep = (passedMs: number) => {
    if (passedMs === publishedMs) world.server.answer = publish(old, fresh);
    if (passedMs < publishedMs && !flood.keyIsAskedForBefore) return;
    const outcome = outcomeOf(() => world.keySet.getOrFetch("fresh"));
    if (passedMs >= publishedMs + 5_000) asked.push(outcome);
  };
  await send(flood, world, { durationMs: publishedMs + 6_000, everyStep });
  return Promise.all(asked);
}
