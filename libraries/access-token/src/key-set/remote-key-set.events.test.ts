import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fail, hang, publish } from "../../testing/issuer-server.ts";
import { outcomeOf, startRemoteKeySet } from "../../testing/remote-key-set.ts";
import { makeSigningKey } from "../../testing/signing-key.ts";
import type { KeySetEvent } from "./key-set-events.ts";
import { createRemoteKeySet } from "./remote-key-set.ts";

const { jwk: old } = makeSigningKey("old");
const { jwk: fresh } = makeSigningKey("fresh");
const quietMs = 60_000;

type World = Awaited<ReturnType<typeof startRemoteKeySet>>;

function told({ events }: World, type: KeySetEvent["type"]): KeySetEvent[] {
  return events.filter((event) => event.type === type);
}

describe("the events of a remote key set", () => {
  it("report what a fetch changed", async () => {
    await using world = await startRemoteKeySet(publish(old, fresh));
    await world.keySet.getOrFetch("old");
    const answers = [
      publish(old, fresh),
      publish({ ...fresh, kid: "old" }, { ...old, kid: "new" }),
      publish(old),
    ];
    for (const answer of answers) {
      world.server.answer = answer;
      await world.advance(quietMs);
      await world.ask("unknown");
    }
    const fetched = { type: "fetched", durationMs: 0, added: [], withdrawn: [], replaced: [] };
    assert.deepEqual(told(world, "fetched"), [
      { ...fetched, keyIds: ["old", "fresh"], added: ["old", "fresh"] },
      { ...fetched, keyIds: ["old", "fresh"] },
      {
        ...fetched,
        keyIds: ["old", "new"],
        added: ["new"],
        withdrawn: ["fresh"],
        replaced: ["old"],
      },
      { ...fetched, keyIds: ["old"], withdrawn: ["new"], replaced: ["old"] },
    ]);
  });

  it("report why a fetch failed, and how long it took", async () => {
    await using world = await startRemoteKeySet(fail(503));
    await world.ask("old");
    world.server.answer = hang;
    await world.advance(quietMs);
    await world.ask("old");
    await world.advance(5_000);
    const [refused, late, ...more] = told(world, "fetchFailed");
    assert(refused?.type === "fetchFailed" && late?.type === "fetchFailed" && more.length === 0);
    assert.match(refused.error.message, /^GET http:.*\/jwks\.json failed: .* status 503$/);
    assert.match(late.error.message, /no whole answer within 5000 ms$/);
    assert.deepEqual([refused.durationMs, late.durationMs], [0, 5_000]);
  });

  it("report what becomes of requests with unknown keys", async () => {
    await using world = await startRemoteKeySet(fail(503));
    await world.ask("a");
    await world.ask("b");
    world.server.answer = publish(old);
    await world.advance(quietMs);
    const asked = ["old", "x"].map((keyId) => outcomeOf(() => world.keySet.getOrFetch(keyId)));
    await Promise.all(asked);
    world.server.answer = hang;
    await world.advance(quietMs);
    const late = outcomeOf(() => world.keySet.getOrFetch("c"));
    await world.advance(1_000);
    await late;
    assert.deepEqual(
      world.events.filter(({ type }) => type.startsWith("request")),
      [
        { type: "requestRefused", unverifiedKeyId: '"a"', reason: "fetchFailed" },
        { type: "requestRefused", unverifiedKeyId: '"b"', reason: "nextFetchTooLate" },
        { type: "requestFound", unverifiedKeyId: '"old"' },
        { type: "requestRefused", unverifiedKeyId: '"x"', reason: "unknown" },
        { type: "requestRefused", unverifiedKeyId: '"c"', reason: "fetchTimedOut" },
      ],
    );
  });

  it("contain made-up key IDs in one line, escaped and short", async () => {
    await using world = await startRemoteKeySet(publish(old));
    await world.ask(`\n"\u001b[2J${"x".repeat(240)}`);
    const [refused] = told(world, "requestRefused");
    assert(refused?.type === "requestRefused");
    assert.match(refused.unverifiedKeyId, /^"\\n\\"\\u001b\[2Jx{80,100}…$/);
  });

  it("may go to a listener that calls the key set", async () => {
    const outcomes: Promise<string>[] = [];
    const onEvent = ({ type }: KeySetEvent) => {
      if (type !== "fetchFailed") return;
      outcomes.push(outcomeOf(() => world.keySet.getOrFetch("old")));
    };
    await using world = await startRemoteKeySet(fail(503), { onEvent });
    assert.equal(await world.ask("old"), "KEY_SET_UNAVAILABLE");
    assert.deepEqual(await Promise.all(outcomes), ["KEY_SET_UNAVAILABLE"]);
  });

  const broken: Record<string, () => void> = {
    "that throws": () => {
      throw new Error("listener broke");
    },
    "that rejects": () => Promise.reject(new Error("listener broke")),
  };
  for (const [description, onEvent] of Object.entries(broken)) {
    it(`go to a listener ${description}, which has no effect but one warning`, async () => {
      const warnings: (Error & { code?: string; detail?: string })[] = [];
      const listen = (warning: Error) => void warnings.push(warning);
      process.on("warning", listen);
      const warned = once(process, "warning");
      await using world = await startRemoteKeySet(publish(old), { onEvent });
      assert.equal(await world.ask("old"), "found");
      await world.advance(quietMs);
      assert.equal(await world.ask("fresh"), "KEY_UNKNOWN");
      await warned;
      process.off("warning", listen);
      assert.deepEqual(
        warnings.map(({ code, message }) => [code, message]),
        [["LISTENER_FAILED", message]],
      );
      assert.match(warnings[0]?.detail ?? "", /^Error: listener broke\n/);
    });
  }

  it("are all described in the README", () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
    const types: Record<KeySetEvent["type"], true> = {
      fetched: true,
      fetchFailed: true,
      requestFound: true,
      requestRefused: true,
    };
    for (const type of Object.keys(types)) assert(readme.includes(`| \`${type}\` `), type);
  });

  it("need a function", () => {
    const options = { issuer: "https://auth.example.com", onEvent: "console.log" };
    assert.throws(() => createRemoteKeySet(options as never, {} as never), {
      name: "TypeError",
      message: "Cannot make a key set: onEvent is console.log, need a function",
    });
  });
});

const message = "onEvent of a key set failed; further failures are not shown";
