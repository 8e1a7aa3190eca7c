/** How a fair queue takes back slots that were held for long. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { callsTo, queueOf, settled } from "./testing/queue-calls.ts";

const revocableAfterMs = 60_000;
const sweepMs = 6000;

/** Calls to a queue with four slots and a reserved one, on a false clock. */
function start({ mock }: TestContext, weights = {}, endsRevoked = true) {
  mock.timers.enable({ apis: ["setTimeout"] });
  let nowMs = 0;
  const limits = { slots: 4, reservedSlots: 1, revocableAfterMs, weights };
  const calls = callsTo(queueOf({ ...limits, nowMs: () => nowMs }), { endsRevoked });
  const pass = async (timeMs: number) => {
    nowMs += timeMs;
    mock.timers.tick(timeMs);
    await settled();
  };
  return { calls, pass };
}

describe("when a tenant waits", () => {
  /** a holds three slots, b one, and c is given a reserved one. */
  async function crowded(test: TestContext, weights = {}) {
    const { calls, pass } = start(test, weights);
    await calls.callAll("b1");
    await pass(2000);
    await calls.callAll("a1", "a2", "a3", "a4", "c1");
    return { calls, pass };
  }

  it("revokes a slot that was held for long of the tenant that holds the most", async (test) => {
    const { calls, pass } = await crowded(test);
    await pass(revocableAfterMs - sweepMs);
    await calls.callAll("d1");
    assert.deepEqual(calls.revoked, []);
    await pass(sweepMs);
    assert.deepEqual([calls.revoked, calls.names().at(-1)], [["a1"], "d1"]);
    await calls.callAll("a5");
    await pass(sweepMs);
    assert.deepEqual(calls.revoked, ["a1"], "only a5 waits, and its tenant holds the most");
  });

  it("revokes by weight", async (test) => {
    const { calls, pass } = await crowded(test, { a: 4 });
    await pass(revocableAfterMs);
    await calls.callAll("d1");
    await pass(sweepMs);
    assert.deepEqual([calls.revoked, calls.names().at(-1)], [["b1"], "d1"]);
  });

  it("revokes one slot in each sweep until each tenant has one", async (test) => {
    const { calls, pass } = await crowded(test);
    await pass(revocableAfterMs);
    await calls.callAll("d1", "f1");
    await pass(sweepMs);
    await pass(sweepMs);
    assert.deepEqual(calls.revoked, ["a1", "a2"]);
    assert.deepEqual(calls.names().slice(-2), ["d1", "f1"]);
  });

  it("revokes no more when it holds half as many as any other", async (test) => {
    const { calls, pass } = await crowded(test);
    await pass(revocableAfterMs);
    await calls.callAll("c2", "c3");
    await pass(sweepMs);
    assert.deepEqual([calls.revoked, calls.names().at(-1)], [["a1"], "c2"]);
    await pass(sweepMs);
    assert.deepEqual(calls.revoked, ["a1"]);
  });
});

/** Of one tenant, the client `aa` holds three slots and `ab` one, which is the oldest. */
async function crowdedClients(test: TestContext, endsRevoked = true) {
  const { calls, pass } = start(test, {}, endsRevoked);
  await calls.callAll("ab1", "aa1", "aa2", "aa3");
  await pass(revocableAfterMs);
  return { calls, pass };
}

describe("when a client waits", () => {
  for (const [client, whose] of [
    ["ac", "that holds none"],
    ["ab", "that holds less than half as many"],
  ] as const) {
    it(`revokes a slot of the client that holds the most, for one ${whose}`, async (test) => {
      const { calls, pass } = await crowdedClients(test);
      await calls.callAll(`${client}2`);
      await pass(sweepMs);
      assert.deepEqual([calls.revoked, calls.names().at(-1)], [["aa1"], `${client}2`]);
      await calls.callAll("ab3");
      await pass(sweepMs);
      assert.deepEqual(calls.revoked, ["aa1"], "aa holds no more than twice as many as ab");
    });
  }

  it("gives the slot to it even while reserved slots are taken", async (test) => {
    const { calls, pass } = await crowdedClients(test);
    await calls.callAll("b1", "ac1");
    await pass(sweepMs);
    assert.deepEqual([calls.revoked, calls.names().at(-1)], [["aa1"], "ac1"]);
  });

  it("revokes for it, too, when a tenant waits that holds fewer", async (test) => {
    const { calls, pass } = await crowdedClients(test);
    await calls.callAll("b1", "b2", "ac1");
    await pass(sweepMs);
    assert.deepEqual([calls.revoked, calls.names().at(-1)], [["aa1"], "b2"]);
    await pass(sweepMs);
    assert.deepEqual([calls.revoked, calls.names().at(-1)], [["aa1", "aa2"], "ac1"]);
  });
});

describe("a revoked slot that is not released at once", () => {
  it("is the only one that is revoked for a call", async (test) => {
    const { calls, pass } = await crowdedClients(test, false);
    await calls.callAll("ac1");
    for (let sweep = 0; sweep < 5; sweep++) await pass(sweepMs);
    assert.deepEqual(calls.revoked, ["aa1"]);
    calls.release("aa1");
    await settled();
    assert.equal(calls.names().at(-1), "ac1");
  });

  it("counts for the client that gets it", async (test) => {
    const { calls, pass } = await crowdedClients(test, false);
    await calls.callAll("ab2", "ab3");
    for (let sweep = 0; sweep < 5; sweep++) await pass(sweepMs);
    assert.deepEqual(calls.revoked, ["aa1"], "then aa and ab hold two slots each");
  });

  it("is not given to a later call of the client whose call has left", async (test) => {
    const { calls, pass } = await crowdedClients(test, false);
    const leaving = new AbortController();
    void calls.call("ab2", leaving.signal);
    await pass(sweepMs);
    leaving.abort(new Error("gone"));
    await calls.callAll("ab3", "ac1");
    calls.release("aa1");
    await settled();
    assert.deepEqual([calls.revoked, calls.names().at(-1)], [["aa1"], "ac1"]);
  });
});
