/** Ten thousand requests with made-up key IDs in ten seconds. */
import assert from "node:assert/strict";
import { KeyObject } from "node:crypto";
import { describe, it } from "node:test";
import { type Answer, fail, hang, publish } from "../test-support/issuer-server.ts";
import { outcomeOf, startRemoteKeySet } from "../test-support/remote-key-set.ts";
import { makeSigningKey } from "../test-support/signing-key.ts";
import { keySetFetchSpacingMs } from "./limits.ts";

const { jwk: old } = makeSigningKey("old");
const { jwk: fresh } = makeSigningKey("fresh");
const stepMs = 50;
const perStep = 50;

type World = Awaited<ReturnType<typeof startRemoteKeySet>>;

async function flood(world: World, durationMs: number, everyStep: () => void = () => {}) {
  const outcomes: Promise<string>[] = [];
  for (let passedMs = 0; passedMs < durationMs; passedMs += stepMs) {
    for (let at = 0; at < perStep; at++) {
      outcomes.push(outcomeOf(() => world.keySet.find(`made-up ${passedMs} ${at}`)));
    }
    everyStep();
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
        await world.keySet.find("old");
        await world.advance(startMs);
        world.server.answer = answer;
        const outcomes = await flood(world, 30_000, () => {
          assert(world.keySet.find("old") instanceof KeyObject, "a known key had to wait");
        });
        assert.deepEqual(new Set(outcomes), expected);
        world.fetchTimesMs.forEach((time, at, times) => {
          const third = times[at + 2];
          assert(third === undefined || third - time > 10_000, `fetched at ${times}`);
        });
        assert(world.fetchTimesMs.length >= 4);
      });
    }
  }

  for (const publishedMs of [0, 50, 1_000, 2_500, 5_000, 5_050, 7_500]) {
    it(`delays a key published after ${publishedMs} ms by one spacing at most`, async () => {
      await using world = await startRemoteKeySet(publish(old));
      await world.keySet.find("old");
      let passedMs = 0;
      let foundAtMs = Number.POSITIVE_INFINITY;
      await flood(world, 15_000, () => {
        if (passedMs === publishedMs) world.server.answer = publish(old, fresh);
        passedMs += stepMs;
        const askedAtMs = world.clock.now();
        outcomeOf(() => world.keySet.find("fresh")).then((outcome) => {
          if (outcome === "found") foundAtMs = Math.min(foundAtMs, askedAtMs);
        }, assert.ifError);
      });
      const begunAtMs = world.fetchTimesMs[0] ?? 0;
      const delayMs = foundAtMs - begunAtMs - publishedMs;
      assert(delayMs <= keySetFetchSpacingMs, `found after ${delayMs} ms`);
    });
  }
});
