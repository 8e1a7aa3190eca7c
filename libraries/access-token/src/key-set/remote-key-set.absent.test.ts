/** Key IDs that the issuer did not have, and that are sent repeatedly. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fail, hang, publish } from "../../testing/issuer-server.ts";
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

  it("waits for its turn, and is refused with the time of that", async () => {
    await using world = await startWithAbsent("made up");
    assert.throws(() => world.keySet.getOrFetch("made up"), {
      reason: "KEY_SET_UNAVAILABLE",
      retryAfterSeconds: 6,
    });
    await world.advance(5_000);
    assert.equal(world.server.requests.length, 1);
    const asked = find(world, "made up", 1);
    await world.advance(50);
    assert.deepEqual(await Promise.all(asked), ["KEY_UNKNOWN"]);
    assert.equal(world.server.requests.length, 2);
  });

  it("does not use up the fetch by which a new key works at once", async () => {
    await using world = await startWithAbsent("made up");
    const repeated = find(world, "made up", 9);
    await world.advance(1_000);
    assert.equal(world.server.requests.length, 1);
    world.server.answer = publish(old, fresh);
    const asked = find(world, "fresh", 1);
    await world.advance(100);
    assert.deepEqual(await Promise.all(asked), ["found"]);
    await Promise.all(repeated);
  });

  it("shares a fetch that is due for another", async () => {
    await using world = await startWithAbsent("made up");
    await world.advance(1_000);
    const asked = [...find(world, "fresh", 1), ...find(world, "made up", 1)];
    await world.advance(100);
    assert.deepEqual(await Promise.all(asked), ["KEY_UNKNOWN", "KEY_UNKNOWN"]);
    assert.equal(world.server.requests.length, 2);
  });

  it("leaves half of the places to others", async () => {
    await using world = await startWithAbsent("made up");
    world.server.answer = hang;
    await world.advance(quietMs);
    const repeated = find(world, "made up", 501);
    const others = find(world, "never seen", 500);
    assert.equal(await repeated[500], "KEY_SET_UNAVAILABLE");
    const { type, ...refusal } = world.events.at(-501) ?? {};
    assert.deepEqual(
      [type, refusal],
      [
        "requestRefused",
        { unverifiedKeyId: '"made up"', reason: "queueFull", waitedMs: 0, waiting: 500 },
      ],
    );
    assert.equal(await Promise.race([...repeated.slice(0, 500), ...others, "waiting"]), "waiting");
    await world.advance(1_000);
    await Promise.all([...repeated, ...others]);
  });

  it("gets its places back when they are free again", async () => {
    await using world = await startWithAbsent("made up");
    world.server.answer = hang;
    for (let time = 0; time < 3; time++) {
      await world.advance(quietMs);
      const held = find(world, "made up", 500);
      assert.equal(await Promise.race([...held, "waiting"]), "waiting");
      await world.advance(1_000);
      await Promise.all(held);
    }
  });

  it("gets one of the places that others leave", async () => {
    await using world = await startWithAbsent("made up");
    world.server.answer = hang;
    await world.advance(quietMs);
    const held = [...find(world, "never seen", 999), ...find(world, "made up", 1)];
    assert.equal(await Promise.race([...held, "waiting"]), "waiting");
    assert.throws(() => world.keySet.getOrFetch("made up"), { reason: "KEY_SET_UNAVAILABLE" });
    await world.advance(1_000);
    await Promise.all(held);
  });

  it("is like any other after it was found", async () => {
    await using world = await startWithAbsent("fresh");
    const turns = [publish(old, fresh), publish(old)];
    for (const answer of turns) {
      world.server.answer = answer;
      await world.advance(quietMs);
      await world.keySet.reload();
    }
    const asked = find(world, "fresh", 1);
    await world.advance(quietMs);
    assert.deepEqual(await Promise.all(asked), ["KEY_SET_UNAVAILABLE"]);
    world.server.answer = hang;
    const held = find(world, "fresh", 501);
    assert.equal(await Promise.race([...held, "waiting"]), "waiting");
    await world.advance(1_000);
    await Promise.all(held);
  });

  it("is not remembered by a fetch that failed", async () => {
    await using world = await startRemoteKeySet(fail(503));
    await world.ask("fresh");
    world.server.answer = hang;
    await world.advance(quietMs);
    const held = find(world, "fresh", 501);
    assert.equal(await Promise.race([...held, "waiting"]), "waiting");
    await world.advance(1_000);
    await Promise.all(held);
  });
});
