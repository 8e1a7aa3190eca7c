import assert from "node:assert/strict";
import { KeyObject } from "node:crypto";
import { describe, it } from "node:test";
import { type Answer, fail, hang, publish } from "../../testing/issuer-server.ts";
import { outcomeOf, startRemoteKeySet } from "../../testing/remote-key-set.ts";
import { makeSigningKey } from "../../testing/signing-key.ts";
import { forge, header } from "../../testing/tokens.ts";
import type { TokenRefusedError } from "../token-refused-error.ts";
import { createAccessTokenValidator } from "../validator.ts";
import { remoteKeySet } from "./remote-key-set.ts";

const { jwk: old } = makeSigningKey("old");
const { jwk: fresh } = makeSigningKey("fresh");
const { jwk: other } = makeSigningKey("other");
const quietMs = 60_000;

const outages: Record<string, Answer> = {
  "answers 503": fail(503),
  "closes connections": (response) => void response.destroy(),
  "publishes nothing": publish(),
  "publishes an ambiguous set": publish(fresh, { ...other, kid: "fresh" }),
  "publishes junk": (response) => response.end("<html>"),
  redirects: (response) => response.writeHead(302, { location: "/" }).end(),
};

describe("a remote key set", () => {
  it("fetches nothing before the first request, then once for many", async () => {
    await using world = await startRemoteKeySet(publish(old));
    assert.equal(world.server.requests.length, 0);
    const all = await Promise.all(
      Array.from({ length: 100 }, () => world.keySet.getOrFetch("old")),
    );
    assert.equal(new Set(all).size, 1);
    assert.deepEqual(
      world.server.requests.map(({ method, url }) => `${method} ${url}`),
      ["GET /.well-known/jwks.json"],
    );
  });

  it("returns a known key at once and never fetches for it", async () => {
    await using world = await startRemoteKeySet(publish(old));
    await world.keySet.getOrFetch("old");
    for (let hours = 0; hours < 48; hours++) {
      await world.advance(3_600_000);
      assert(world.keySet.getOrFetch("old") instanceof KeyObject);
    }
    assert.equal(world.server.requests.length, 1);
  });

  it("finds a newly published key at once in quiet times", async () => {
    await using world = await startRemoteKeySet(publish(old));
    await world.keySet.getOrFetch("old");
    await world.advance(quietMs);
    world.server.answer = publish(old, fresh);
    assert.equal(await world.ask("fresh"), "found");
    assert.equal(await world.ask("old"), "found");
  });

  it("soon finds a key that is published right after the start", async () => {
    await using world = await startRemoteKeySet(publish(old));
    await world.keySet.getOrFetch("old");
    world.server.answer = publish(old, fresh);
    const asked = outcomeOf(() => world.keySet.getOrFetch("fresh"));
    await world.advance(100);
    assert.equal(await asked, "found");
  });

  it("calls a key unknown when a fetch that began afterwards did not have it", async () => {
    await using world = await startRemoteKeySet(publish(old));
    assert.equal(await world.ask("nobody's"), "KEY_UNKNOWN");
    await world.advance(quietMs);
    const all = ["a", "b", "__proto__"].map((keyId) =>
      outcomeOf(() => world.keySet.getOrFetch(keyId)),
    );
    assert.deepEqual(new Set(await Promise.all(all)), new Set(["KEY_UNKNOWN"]));
    assert.equal(world.server.requests.length, 2);
  });

  it("does not call a key unknown after a fetch that began before", async () => {
    let answered = () => {};
    await using world = await startRemoteKeySet((response) => {
      answered = () => publish(old)(response, response.req);
    });
    const first = outcomeOf(() => world.keySet.getOrFetch("fresh"));
    while (world.server.requests.length === 0) await new Promise(setImmediate);
    const second = outcomeOf(() => world.keySet.getOrFetch("fresh"));
    const third = outcomeOf(() => world.keySet.getOrFetch("old"));
    answered();
    await world.downloaded();
    assert.equal(await first, "KEY_UNKNOWN");
    assert.equal(await second, "KEY_SET_UNAVAILABLE");
    assert.equal(await third, "found");
  });

  it("refuses with the time to retry after if no fetch may begin in time", async () => {
    await using world = await startRemoteKeySet(fail(503));
    assert.equal(await world.ask("old"), "KEY_SET_UNAVAILABLE");
    world.server.answer = publish(old);
    await world.advance(2_000);
    const find = () => world.keySet.getOrFetch("old");
    assert.throws(find, { reason: "KEY_SET_UNAVAILABLE", retryAfterSeconds: 4 });
    assert.throws(find, (error: TokenRefusedError) =>
      /: the next fetch .*; last time: GET .* the answer has status 503$/.test(error.detail),
    );
    await world.advance(4_000);
    assert.equal(await world.ask("old"), "found");
  });

  it("holds a request while the next fetch can still begin within a second", async () => {
    await using world = await startRemoteKeySet(fail(503));
    await world.ask("old");
    world.server.answer = publish(old);
    await world.advance(4_100);
    const asked = outcomeOf(() => world.keySet.getOrFetch("old"));
    await world.advance(900);
    assert.equal(world.server.requests.length, 1);
    await world.advance(50);
    assert.equal(await asked, "found");
  });

  it("refuses a request as soon as waiting can no longer help", async () => {
    const asked = Promise.withResolvers<() => void>();
    await using world = await startRemoteKeySet((response) => {
      asked.resolve(() => fail(503)(response, response.req));
    });
    const before = outcomeOf(() => world.keySet.getOrFetch("old"));
    const answer = await asked.promise;
    const meanwhile = outcomeOf(() => world.keySet.getOrFetch("old"));
    answer();
    assert.equal(await before, "KEY_SET_UNAVAILABLE");
    assert.equal(await meanwhile, "KEY_SET_UNAVAILABLE");
    assert.equal(world.clock.timers, 0);
  });

  it("fetches again soon only after a change of the keys", async () => {
    await using world = await startRemoteKeySet(publish(old));
    await world.ask("old");
    await world.advance(quietMs);
    assert.equal(await world.ask("unknown"), "KEY_UNKNOWN");
    assert.throws(() => world.keySet.getOrFetch("unknown"), { retryAfterSeconds: 6 });
  });

  it("holds no request for longer than a second", async () => {
    await using world = await startRemoteKeySet(hang);
    const asked = outcomeOf(() => world.keySet.getOrFetch("old"));
    await world.advance(999);
    assert.equal(await Promise.race([asked, "waiting"]), "waiting");
    await world.advance(1);
    assert.equal(await asked, "KEY_SET_UNAVAILABLE");
  });

  for (const [description, outage] of Object.entries(outages)) {
    it(`keeps its keys while the issuer ${description}, and calls no key unknown`, async () => {
      await using world = await startRemoteKeySet(publish(old));
      const key = await world.keySet.getOrFetch("old");
      world.server.answer = outage;
      for (let at = 0; at < 3; at++) {
        await world.advance(quietMs);
        assert.equal(await world.ask("fresh"), "KEY_SET_UNAVAILABLE");
        assert.equal(world.keySet.getOrFetch("old"), key);
      }
      assert.equal(world.server.requests.length, 4);
      world.server.answer = publish(old, fresh);
      await world.advance(quietMs);
      assert.equal(await world.ask("fresh"), "found");
    });
  }

  it("returns the same object for a key until its material changes", async () => {
    await using world = await startRemoteKeySet(publish(old, fresh));
    const held = [await world.keySet.getOrFetch("old"), await world.keySet.getOrFetch("fresh")];
    const answers = [publish(fresh, old), fail(503), publish({ ...old, x5t: "new" }, fresh)];
    for (const answer of answers) {
      world.server.answer = answer;
      await world.advance(quietMs);
      await world.ask("unknown");
      const found = [world.keySet.getOrFetch("old"), world.keySet.getOrFetch("fresh")];
      assert(found.every((key, at) => key === held[at]));
    }
    world.server.answer = publish({ ...other, kid: "old" }, fresh);
    await world.advance(quietMs);
    await world.ask("unknown");
    assert.notEqual(world.keySet.getOrFetch("old"), held[0]);
    assert.equal(world.keySet.get("old"), world.keySet.getOrFetch("old"));
    assert.equal(world.keySet.getOrFetch("fresh"), held[1]);
  });

  it("never fetches for an invalid key ID", async () => {
    await using world = await startRemoteKeySet(publish(old));
    const { keySet, server } = world;
    const malformed = ["", "k".repeat(257), "\ud800", 7, null, undefined, {}, ["old"]];
    const options = { issuer: "https://auth.example.com", audience: "uploads", keySet };
    const validator = createAccessTokenValidator(options);
    for (const kid of malformed) {
      assert.throws(() => keySet.getOrFetch(kid as string), { reason: "KEY_UNKNOWN" });
      const token = forge({ header: { ...header, kid } });
      await assert.rejects(validator.validate(token), { reason: "TOKEN_MALFORMED" });
    }
    await world.advance(quietMs);
    assert.deepEqual([server.requests.length, world.clock.timers], [0, 0]);
  });

  it("drops a withdrawn key and accepts new material under an old kid", async () => {
    await using world = await startRemoteKeySet(publish(old, fresh));
    const before = (await world.keySet.getOrFetch("old")) as KeyObject;
    world.server.answer = publish({ ...fresh, kid: "old" });
    await world.advance(quietMs);
    assert.equal(await world.ask("unknown"), "KEY_UNKNOWN");
    assert.equal(before.equals((await world.keySet.getOrFetch("old")) as KeyObject), false);
    await world.advance(quietMs);
    assert.equal(await world.ask("fresh"), "KEY_UNKNOWN");
  });

  it("without an issuer, is a type error and throws", () => {
    // @ts-expect-error
    assert.throws(() => remoteKeySet({}), TypeError);
    assert.throws(() => remoteKeySet({ issuer: "" }), TypeError);
  });

  it("throws for options of a wrong type", () => {
    const issuer = "https://auth.example.com";
    for (const wrong of [
      { fetch: "fetch" },
      { now: 7 },
      { onEvent: null },
      { maxAgeMs: "60000" },
    ]) {
      assert.throws(() => remoteKeySet({ issuer, ...wrong } as never), TypeError);
    }
  });

  it("uses the global fetch and real time by default", async () => {
    await using world = await startRemoteKeySet(publish(old));
    const keySet = remoteKeySet({ issuer: `${world.server.address}/` });
    assert.equal(await outcomeOf(() => keySet.getOrFetch("old")), "found");
    assert.equal(await outcomeOf(() => keySet.getOrFetch("fresh")), "KEY_UNKNOWN");
  });
});
