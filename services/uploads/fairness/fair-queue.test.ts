import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError } from "../model/api-error.ts";
import { callsTo, never, numbered, queueOf, settled } from "./testing/queue-calls.ts";

describe("FairQueue", () => {
  it("gives a free slot at once, and all slots to a tenant that is alone", async () => {
    const queue = queueOf({ slots: 3, reservedSlots: 1 });
    const calls = callsTo(queue);
    await calls.callAll("a1", "a2", "a3", "a4");
    assert.deepEqual([calls.names(), queue.waiting], [["a1", "a2", "a3"], 1]);
  });

  it("gives a reserved slot at once, whatever the others do", async () => {
    const queue = queueOf({ slots: 2, reservedSlots: 1 });
    const calls = callsTo(queue);
    await calls.callAll(...numbered("a", 9), "b1", "b2", "c1");
    assert.deepEqual(calls.names(), ["a1", "a2", "b1"]);
  });

  it("leaves half of the slots free while another tenant is active", async () => {
    let nowMs = 0;
    const queue = queueOf({ slots: 4, nowMs: () => nowMs });
    const calls = callsTo(queue);
    await calls.callAll("b1");
    calls.served[0]?.release();
    await calls.callAll(...numbered("a", 5));
    assert.deepEqual(calls.names(), ["b1", "a1", "a2"]);
    await calls.callAll("b2", "b3", "b4");
    assert.deepEqual(calls.names(), ["b1", "a1", "a2", "b2", "b3"]);
    for (const { release } of calls.served.slice(3)) release();
    await settled();
    assert.deepEqual(calls.names().slice(5), ["b4"]);
    nowMs = 1001;
    await calls.callAll("a6");
    assert.deepEqual(calls.names().slice(6), ["a3"], "b holds the fourth slot");
  });

  it("gives the free half to calls that wait when no other tenant is active any more", async ({
    mock,
  }) => {
    mock.timers.enable({ apis: ["setTimeout"] });
    let nowMs = 0;
    const queue = queueOf({ slots: 4, nowMs: () => nowMs });
    const calls = callsTo(queue);
    await calls.callAll("b1");
    calls.served[0]?.release();
    await calls.callAll(...numbered("a", 4));
    assert.equal(queue.held, 2);
    // Nobody calls or releases anything.
    nowMs = 6000;
    mock.timers.tick(nowMs);
    await settled();
    assert.deepEqual([queue.held, queue.waiting], [4, 0]);
  });

  it("leaves a tenant of more weight more of them", async () => {
    const calls = callsTo(queueOf({ slots: 10, weights: { a: 4 } }));
    await calls.callAll("b1");
    calls.served[0]?.release();
    await calls.callAll(...numbered("a", 10), ...numbered("b", 10));
    const holders = calls.names().slice(1);
    assert.deepEqual(
      [holders.length, holders.filter((name) => name.startsWith("a")).length],
      [10, 8],
    );
  });

  it("serves a tenant with one call before the backlog of another", async () => {
    for (const [slots, reservedSlots] of [
      [1, 0],
      [1, 1],
      [4, 0],
      [4, 1],
    ] as const) {
      const calls = callsTo(queueOf({ slots, reservedSlots }));
      await calls.callAll(...numbered("a", 40), "b1", "c1");
      await calls.finishAll();
      const place = Math.max(calls.names().indexOf("b1"), calls.names().indexOf("c1"));
      assert.ok(place <= slots + 3, `${calls.names()}`);
      assert.equal(calls.served.length, 42);
    }
  });

  it("serves equal tenants in turn, also with a single slot", async () => {
    const calls = callsTo(queueOf({ slots: 1 }));
    await calls.callAll(...numbered("a", 6), ...numbered("b", 3), ...numbered("c", 3));
    await calls.finishAll();
    assert.deepEqual(calls.names().slice(1, 10).sort().join(" "), "a2 a3 a4 b1 b2 b3 c1 c2 c3");
  });

  it("is not outrun by callers that ask again at once", async () => {
    const queue = queueOf({ slots: 1 });
    const calls = callsTo(queue);
    await calls.callAll("a1", "a2", "b1", "c1");
    for (let round = 2; round < 20; round++) {
      const last = calls.served.at(-1);
      last?.release();
      await settled();
      if (last && !last.name.startsWith("a")) await calls.callAll(`${last.name[0]}${round}`);
    }
    assert.ok(calls.names().indexOf("a2") <= 3, `${calls.names()}`);
  });

  it("shares by weight: slots that are held, and turns at a single slot", async () => {
    const weights = { a: 4, b: 1 };
    const held = queueOf({ slots: 10, weights });
    const calls = callsTo(held);
    await calls.callAll(...numbered("b", 30), ...numbered("a", 30));
    for (const { release } of [...calls.served]) release();
    await settled();
    const holders = calls.names().slice(10);
    assert.equal(holders.filter((name) => name.startsWith("a")).length, 8, `${holders}`);

    const turns = callsTo(queueOf({ slots: 1, weights }));
    await turns.callAll(...numbered("b", 50), ...numbered("a", 50));
    await turns.finishAll();
    const first = turns.names().slice(0, 50);
    assert.ok(Math.abs(first.filter((name) => name.startsWith("a")).length - 40) <= 1, `${first}`);
  });

  it("shares a tenant's slots equally among its clients", async () => {
    const calls = callsTo(queueOf({ slots: 1 }));
    await calls.callAll(...numbered("a", 20), ...numbered("ab", 3));
    await calls.finishAll();
    assert.deepEqual(calls.names().slice(0, 7).sort(), [
      "a1",
      "a2",
      "a3",
      "a4",
      "ab1",
      "ab2",
      "ab3",
    ]);
  });

  it("limits a tenant to half of the waiting places, and a client to a quarter", async () => {
    const queue = queueOf({ slots: 1, waitingMax: 8 });
    const calls = callsTo(queue);
    await calls.callAll(...numbered("a", 4), "ab1", "ab2", "ac1");
    assert.deepEqual([queue.waiting, calls.refused.length], [4, 2]);
    for (const error of calls.refused) {
      assert.ok(error instanceof ApiError && error.reason === "TOO_MANY_CALLS");
    }
    await calls.finishAll();
    assert.deepEqual(calls.names(), ["a1", "a2", "ab1", "a3", "ab2"]);
  });

  it("takes the place of the largest tenant's newest call when all places are taken", async () => {
    const queue = queueOf({ slots: 1, waitingMax: 8 });
    const calls = callsTo(queue);
    await calls.callAll("a0", "a1", "a2", "ab1", "ab2", "b1", "b2", "bc1", "bc2");
    assert.deepEqual([queue.waiting, calls.refused.length], [8, 0]);
    await calls.callAll("c1", "d1");
    assert.deepEqual([queue.waiting, calls.refused.length], [8, 2]);
    await calls.finishAll();
    assert.equal(`${calls.names().toSorted()}`, "a0,a1,ab1,ab2,b1,bc1,bc2,c1,d1");
  });

  it("takes no place for a tenant that would then use as many as the largest", async () => {
    const queue = queueOf({ slots: 1, waitingMax: 8 });
    const calls = callsTo(queue);
    await calls.callAll("a0", "a1", "a2", "ab1", "b1", "b2", "c1", "c2", "d1");
    await calls.callAll("bb1");
    assert.match(`${calls.refused}`, /too many calls are waiting; try again/);
  });

  it("forgets a call that is aborted while it waits", async () => {
    const queue = queueOf({ slots: 1 });
    const calls = callsTo(queue);
    const controller = new AbortController();
    await calls.callAll("a1");
    void calls.call("b1", controller.signal);
    controller.abort(new Error("gone"));
    await settled();
    assert.deepEqual([queue.waiting, queue.tenants, calls.refused], [0, 1, [new Error("gone")]]);
    await calls.finishAll();
    assert.deepEqual([queue.held, queue.tenants], [0, 0]);
    await assert.rejects(queue.acquire({ tenant: "a", client: "a" }, controller.signal), /gone/);
  });

  it("counts a slot that is given back twice only once", async () => {
    const queue = queueOf({ slots: 1 });
    const release = await queue.acquire({ tenant: "a", client: "a" }, never);
    release();
    await queue.acquire({ tenant: "a", client: "a" }, never);
    release();
    assert.equal(queue.held, 1);
  });
});
