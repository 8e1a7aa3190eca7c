/** Key IDs that the issuer did not have, and that are sent repeatedly. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { publish } from "../../testing/issuer-server.ts";
import { outcomeOf, startRemoteKeySet } from "../../testing/remote-key-set.ts";
import { makeSigningKey } from "../../testing/signing-key.ts";

const { jwk: old } = makeSigningKey("old");
const { jwk: fresh } = makeSigningKey("fresh");
const quietMs = 60_000;

/** With `old`, and after a fetch that did not have the others. */
async function startWithAbsent(...absent: string[]) {
  const world = await startRemoteKeySet(publish(old));
  const asked = ["old", ...absent].map((keyId) => outcomeOf(() => world.keySet.getOrFetch(keyId)));
  assert.deepEqual(await Promise.all(asked), ["found", ...absent.map(() => "KEY_UNKNOWN")]);
  return world;
}

function find(world: Awaited<ReturnType<typeof startWithAbsent>>, keyId: string, count: number) {
  return Array.from({ length: count }, () => outcomeOf(() => world.keySet.getOrFetch(keyId)));
}

describe("an absent key that is requested again", () => {
  it("works at once in quiet times, after it was published", async () => {
    await using world = await startWithAbsent("fresh");
    world.server.answer = publish(old, fresh);
    await world.advance(quietMs);
    assert.equal(await world.ask("fresh"), "found");
  });

  it("works within a spacing while it is requested all the time", async () => {
    await using world = await startWithAbsent("fresh");
    const askedAtMs: number[] = [];
    world.server.answer = publish(old, fresh);
    for (let passedMs = 0; passedMs < 6_000; passedMs += 50) {
      outcomeOf(() => world.keySet.getOrFetch("fresh")).then((outcome) => {
        if (outcome === "found") askedAtMs.push(passedMs);
      }, assert.ifError);
      await world.advance(50);
    }
    assert((askedAtMs[0] ?? 9_999) <= 5_000, `the first that was asked at ${askedAtMs[0]} ms`);
  });

  it("shares a fetch that is due for another", async () => {
    await using world = await startWithAbsent("made up");
    await world.advance(1_000);
    const asked = [...find(world, "fresh", 1), ...find(world, "made up", 1)];
    await world.advance(100);
    assert.deepEqual(await Promise.all(asked), ["KEY_UNKNOWN", "KEY_UNKNOWN"]);
    assert.equal(world.server.requests.length, 2);
  });
});
