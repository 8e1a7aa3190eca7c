import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fail, publish } from "../../testing/issuer-server.ts";
import { startRemoteKeySet } from "../../testing/remote-key-set.ts";
import { makeSigningKey } from "../../testing/signing-key.ts";
import { remoteKeySet } from "./remote-key-set.ts";

const { jwk: old } = makeSigningKey("old");
const { jwk: fresh } = makeSigningKey("fresh");

describe("a maximum age", () => {
  const maxAgeMs = 60_000;

  it("renews keys in the background once half of it is over", async () => {
    await using world = await startRemoteKeySet(publish(old), { maxAgeMs });
    await world.keySet.getOrFetch("old");
    await world.advance(maxAgeMs / 2);
    await world.ask("old");
    assert.equal(world.server.requests.length, 1);
    world.server.answer = publish(fresh);
    await world.advance(1);
    assert.equal(await world.ask("old"), "found");
    assert.equal(world.server.requests.length, 2);
    assert.equal(await world.ask("fresh"), "found");
    assert.equal(world.server.requests.length, 2);
  });

  it("ends the use of keys that could not be renewed", async () => {
    await using world = await startRemoteKeySet(publish(old), { maxAgeMs });
    await world.keySet.getOrFetch("old");
    world.server.answer = fail(503);
    await world.advance(maxAgeMs - 10);
    assert.equal(await world.ask("old"), "found");
    await world.advance(5_100);
    assert.equal(await world.ask("old"), "KEY_SET_UNAVAILABLE");
    world.server.answer = publish(old);
    await world.advance(5_100);
    assert.equal(await world.ask("old"), "found");
  });

  it("is at least 30 s", () => {
    for (const tooShortMs of [0, -1, 29_999, Number.NaN]) {
      const options = { issuer: "https://auth.example.com", maxAgeMs: tooShortMs };
      assert.throws(() => remoteKeySet(options), TypeError);
    }
  });
});
