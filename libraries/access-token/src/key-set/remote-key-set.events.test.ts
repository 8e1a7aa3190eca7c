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
      await world.keySet.reload();
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
    const reloaded = assert.rejects(world.keySet.reload());
    await world.downloaded();
    await world.advance(5_000);
    await reloaded;
    const [refused, late, ...more] = told(world, "fetchFailed");
    assert(refused?.type === "fetchFailed" && late?.type === "fetchFailed" && more.length === 0);
    assert.match(refused.error.message, /^GET http:.*\/jwks\.json failed: .* status 503$/);
    assert.match(late.error.message, /no whole answer within 5000 ms$/);
    assert.deepEqual([refused.durationMs, late.durationMs], [0, 5_000]);
  });

  it("report how long a request waited, and how many wait", async () => {
    await using world = await startRemoteKeySet(fail(503));
    await world.ask("old");
    world.server.answer = publish(old);
    world.events.length = 0;
    await world.advance(4_150);
    const asked = [outcomeOf(() => world.keySet.getOrFetch("old"))];
    await world.advance(500);
    asked.push(outcomeOf(() => world.keySet.getOrFetch("x")));
    await world.advance(400);
    assert.deepEqual(await Promise.all(asked), ["found", "KEY_UNKNOWN"]);
    assert.deepEqual(
      world.events.filter(({ type }) => type !== "fetched"),
      [
        { type: "requestHeld", unverifiedKeyId: '"old"', waiting: 1 },
        { type: "requestHeld", unverifiedKeyId: '"x"', waiting: 2 },
        { type: "requestFound", unverifiedKeyId: '"old"', waitedMs: 900, waiting: 1 },
        {
          type: "requestRefused",
          unverifiedKeyId: '"x"',
          reason: "unknown",
          waitedMs: 400,
          waiting: 0,
        },
      ],
    );
  });

  it("report why a request is refused", async () => {
    await using world = await startRemoteKeySet(fail(503));
    await world.ask("a");
    await world.ask("b");
    world.server.answer = hang;
    await world.advance(quietMs);
    const held = Array.from({ length: 1_000 }, () => outcomeOf(() => world.keySet.getOrFetch("c")));
    await world.ask("d");
    await world.advance(1_000);
    await Promise.all(held);
    const refusals = told(world, "requestRefused").slice(0, 4);
    const refused = { type: "requestRefused", waitedMs: 0, waiting: 0 };
    assert.deepEqual(refusals, [
      { ...refused, unverifiedKeyId: '"a"', reason: "fetchFailed" },
      { ...refused, unverifiedKeyId: '"b"', reason: "nextFetchTooLate" },
      { ...refused, unverifiedKeyId: '"d"', reason: "queueFull", waiting: 1_000 },
      {
        ...refused,
        unverifiedKeyId: '"c"',
        reason: "fetchTimedOut",
        waitedMs: 1_000,
        waiting: 999,
      },
    ]);
  });

  it("contain made-up key IDs in one line, escaped and short", async () => {
    await using world = await startRemoteKeySet(publish(old));
    await world.ask(`\n"\u001b[2J${"x".repeat(240)}`);
    const [held] = told(world, "requestHeld");
    assert(held?.type === "requestHeld");
    assert.match(held.unverifiedKeyId, /^"\\n\\"\\u001b\[2Jx{80,100}…$/);
  });

  it("may go to a listener that calls the key set", async () => {
    const outcomes: Promise<string>[] = [];
    const onEvent = ({ type }: KeySetEvent) => {
      if (type !== "fetchFailed") return;
      outcomes.push(outcomeOf(() => world.keySet.getOrFetch("old")));
      outcomes.push(world.keySet.reload().then(() => "reloaded"));
    };
    await using world = await startRemoteKeySet(fail(503), { onEvent });
    assert.equal(await world.ask("old"), "KEY_SET_UNAVAILABLE");
    world.server.answer = publish(old);
    await world.advance(5_050);
    assert.deepEqual(await Promise.all(outcomes), ["KEY_SET_UNAVAILABLE", "reloaded"]);
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
      await world.advance(quietMs);
      await world.keySet.reload();
      await warned;
      process.off("warning", listen);
      assert.deepEqual(
        warnings.map(({ code, message }) => [code, message]),
        [["KEY_SET_LISTENER_FAILED", message]],
      );
      assert.match(warnings[0]?.detail ?? "", /^Error: listener broke\n/);
    });
  }

  it("are all described in the README", () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
    const types: Record<KeySetEvent["type"], true> = {
      fetched: true,
      fetchFailed: true,
      requestHeld: true,
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

const message =
  "Cannot report an event of the key set: onEvent failed; further failures are not shown";
