import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { fail, hang, publish, startIssuerServer } from "../../testing/issuer-server.ts";
import { startRemoteKeySet } from "../../testing/remote-key-set.ts";
import { makeSigningKey } from "../../testing/signing-key.ts";
import { remoteKeySet } from "./remote-key-set.ts";

const { jwk: old } = makeSigningKey("old");
const { jwk: fresh } = makeSigningKey("fresh");

describe("reloading", () => {
  it("drops a withdrawn key", async () => {
    await using world = await startRemoteKeySet(publish(old));
    await world.keySet.getOrFetch("old");
    await world.advance(60_000);
    world.server.answer = publish(fresh);
    await world.keySet.reload();
    assert.equal(await world.ask("fresh"), "found");
    assert.equal(await world.ask("old"), "waiting");
  });

  it("fails when the fetch fails, and keeps the keys", async () => {
    await using world = await startRemoteKeySet(publish(old));
    await world.keySet.getOrFetch("old");
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
    const found = world.keySet.getOrFetch("old");
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

  it("is limited like every fetch, and many share one", async () => {
    await using world = await startRemoteKeySet(fail(503));
    await world.ask("old");
    world.server.answer = publish(old);
    const reloads = Promise.all(Array.from({ length: 50 }, () => world.keySet.reload()));
    await world.advance(5_049);
    assert.equal(world.server.requests.length, 1);
    await world.advance(1);
    await reloads;
    assert.equal(world.server.requests.length, 2);
    assert.equal(world.clock.timers, 0);
  });

  it("fetches soon after a change, however many times it is called", async () => {
    await using world = await startRemoteKeySet(publish(old));
    await world.keySet.getOrFetch("old");
    const reloads = Array.from({ length: 50 }, () => world.keySet.reload());
    assert.equal(new Set(reloads).size, 1);
    await world.advance(100);
    await Promise.all(reloads);
    assert.equal(world.server.requests.length, 2);
  });

  it("takes 15.1 s at most, even if a running fetch and then the issuer hang", async () => {
    await using world = await startRemoteKeySet(publish(old));
    await world.keySet.getOrFetch("old");
    world.server.answer = hang;
    const asked = world.ask("unknown");
    await world.advance(100);
    await asked;
    let settledAtMs = 0;
    const beganAtMs = world.clock.now();
    const reloaded = assert.rejects(world.keySet.reload()).then(() => {
      settledAtMs = world.clock.now();
    });
    await world.advance(15_100, 50);
    await reloaded;
    assert(settledAtMs - beganAtMs <= 15_100, `took ${settledAtMs - beganAtMs} ms`);
  });
});

describe("a program that does nothing but reload", () => {
  const program = `
    import { remoteKeySet } from ${JSON.stringify(import.meta.resolve("./remote-key-set.ts"))};
    const keySet = remoteKeySet({ issuer: process.argv[1] });
    await keySet.getOrFetch("old");
    await keySet.reload();
    console.log("reloaded");
  `;

  it("runs until it has reloaded, and no longer", async () => {
    await using server = await startIssuerServer(publish(old));
    const run = promisify(execFile);
    const args = ["--input-type=module", "--eval", program, server.address];
    const { stdout } = await run(process.execPath, args);
    assert.equal(stdout, "reloaded\n");
    assert.equal(server.requests.length, 2);
  });
});

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
