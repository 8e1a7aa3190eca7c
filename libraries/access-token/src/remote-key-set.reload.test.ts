import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fail, publish } from "../test-support/issuer-server.ts";
import { startRemoteKeySet } from "../test-support/remote-key-set.ts";
import { makeSigningKey } from "../test-support/signing-key.ts";
import { remoteKeySet } from "./remote-key-set.ts";

const { jwk: old } = makeSigningKey("old");
const { jwk: fresh } = makeSigningKey("fresh");

describe("reloading", () => {
  it("drops a withdrawn key", async () => {
    await using world = await startRemoteKeySet(publish(old));
    await world.keySet.find("old");
    await world.advance(60_000);
    world.server.answer = publish(fresh);
    await world.keySet.reload();
    assert.equal(await world.ask("fresh"), "found");
    assert.equal(await world.ask("old"), "waiting");
  });

  it("fails when the fetch fails, and keeps the keys", async () => {
    await using world = await startRemoteKeySet(publish(old));
    await world.keySet.find("old");
    await world.advance(60_000);
    world.server.answer = fail(503);
    await assert.rejects(world.keySet.reload(), /the answer has status 503$/);
    assert.equal(await world.ask("old"), "found");
  });

  it("waits for a fetch that begins afterwards", async () => {
    const asked = Promise.withResolvers<() => void>();
    await using world = await startRemoteKeySet((response) => {
      asked.resolve(() => publish(old)(response, response.req));
    });
    const found = world.keySet.find("old");
    const answer = await asked.promise;
    let reloaded = false;
    const reloading = world.keySet.reload().then(() => {
      reloaded = true;
    });
    world.server.answer = publish(fresh);
    answer();
    await found;
    await world.downloaded();
    assert.equal(reloaded, false);
    await world.advance(5_050);
    await reloading;
    assert.equal(world.server.requests.length, 2);
  });

  it("is bound like every fetch, and many share one", async () => {
    await using world = await startRemoteKeySet(fail(503));
    await world.ask("old");
    world.server.answer = publish(old);
    const reloads = Promise.all(Array.from({ length: 50 }, () => world.keySet.reload()));
    await world.advance(5_049);
    assert.equal(world.server.requests.length, 1);
    await world.advance(1);
    await reloads;
    assert.equal(world.server.requests.length, 2);
  });
});

describe("a maximum age", () => {
  const maxAgeMs = 60_000;

  it("renews keys in the background once half of it is over", async () => {
    await using world = await startRemoteKeySet(publish(old), { maxAgeMs });
    await world.keySet.find("old");
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
    await world.keySet.find("old");
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
