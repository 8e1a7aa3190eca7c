/** The rules of the queue, checked over random schedules by a model. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { ApiError } from "../model/api-error.ts";
import { FairQueue, type ReleaseSlot } from "./fair-queue.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("FairQueue under random schedules", () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.record({ kind: fc.constant("call"), who: fc.nat(7) }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant("release"), who: fc.nat(99) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("abort"), who: fc.nat(99) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("pass"), who: fc.nat(2000) }) },
    ),
    { maxLength: 120, size: "max" },
  );
  const options = fc.record({
    slots: fc.integer({ min: 1, max: 5 }),
    reservedSlots: fc.nat(2),
    waitingMax: fc.integer({ min: 1, max: 12 }),
  });
  const weights: Record<string, number> = { A: 1, B: 2, C: 4, D: 1 };

  it("keeps its rules after each step", async () => {
    await fc.assert(
      fc.asyncProperty(options, steps, async (limits, schedule) => {
        const model = new Model(limits, weights);
        for (const step of schedule) {
          await model.step(step);
          model.check();
        }
        await model.finish();
      }),
      { numRuns: 200 },
    );
  });
});

interface ModelCall {
  readonly tenant: string;
  readonly client: string;
  readonly controller: AbortController;
  state: "waiting" | "held" | "over";
  release?: ReleaseSlot;
}

/** The rules, stated over all calls: slow and plain. */
class Model {
  readonly #calls: ModelCall[] = [];
  readonly #limits: { slots: number; reservedSlots: number; waitingMax: number };
  readonly #weights: Record<string, number>;
  readonly #queue: FairQueue;
  /** When each tenant got a slot last. */
  readonly #lastMs = new Map<string, number>();
  #nowMs = 0;
  /** Whether tenants became inactive since free slots were last given away. */
  #hasPassed = false;

  constructor(
    limits: { slots: number; reservedSlots: number; waitingMax: number },
    weights: Record<string, number>,
  ) {
    this.#limits = limits;
    this.#weights = weights;
    this.#queue = new FairQueue({
      ...limits,
      weightOf: (tenant) => weights[tenant] ?? 1,
      waitMaxMs: 60_000,
      nowMs: () => this.#nowMs,
    });
  }

  async step({ kind, who }: { kind: string; who: number }): Promise<void> {
    const before = this.#calls.map((call) => ({ ...call }));
    if (kind === "call") await this.#call("ABCD".charAt(who % 4), `client ${who}`);
    const held = this.#in("held");
    if (kind === "release" && held.length > 0) this.#release(held[who % held.length]);
    if (kind === "pass") this.#nowMs += who;
    if (kind === "pass" || (kind === "release" && held.length > 0))
      this.#hasPassed = kind === "pass";
    if (kind === "abort") this.#calls.at(-1 - (who % 20))?.controller.abort(new Error("gone"));
    await settled();
    this.#checkServed(before);
  }

  async #call(tenant: string, client: string): Promise<void> {
    const call: ModelCall = { tenant, client, controller: new AbortController(), state: "waiting" };
    this.#calls.push(call);
    this.#queue.acquire(call, call.controller.signal).then(
      (release) => {
        assert.ok(this.#mayTake(tenant), "a tenant leaves the others their part");
        Object.assign(call, { release, state: "held" });
        this.#lastMs.set(tenant, this.#nowMs);
      },
      (error) => {
        call.state = "over";
        if (!call.controller.signal.aborted) this.#checkRefusal(call, error);
      },
    );
    await settled();
    if (call.state === "waiting") assert.ok(!this.#mayTake(tenant), "no free slot is left");
  }

  /** Whether a slot is free that the tenant may take. */
  #mayTake(tenant: string): boolean {
    const { slots, reservedSlots } = this.#limits;
    const held = this.#in("held").length;
    const ofTenant = this.#heldBy(tenant);
    if (ofTenant === 0) return held < slots + reservedSlots;
    const weight = this.#weights[tenant] ?? 1;
    const hasActiveOther = [...this.#lastMs].some(
      ([other, lastMs]) => other !== tenant && lastMs > this.#nowMs - 1000,
    );
    const mostBesideOthers = Math.ceil((slots * weight) / (weight + 1));
    return held < slots && (!hasActiveOther || ofTenant < mostBesideOthers);
  }

  #checkRefusal({ tenant, client }: ModelCall, error: ApiError): void {
    const { waitingMax } = this.#limits;
    const waiting = this.#in("waiting");
    const ofTenant = waiting.filter((call) => call.tenant === tenant);
    const ofClient = ofTenant.filter((call) => call.client === client);
    const isOverShare =
      ofTenant.length >= Math.ceil(waitingMax / 2) ||
      ofClient.length >= Math.ceil(Math.ceil(waitingMax / 2) / 2);
    if (error.reason === "SERVER_BUSY") assert.ok(!isOverShare);
    else assert.equal(error.reason, "TOO_MANY_CALLS");
    assert.ok(isOverShare || waiting.length === waitingMax, "a place was left");
  }

  #release(call: ModelCall | undefined): void {
    call?.release?.();
    call?.release?.();
    if (call !== undefined) call.state = "over";
  }

  /** A slot that was given to a waiting call went to the right one. */
  #checkServed(before: readonly ModelCall[]): void {
    const served = this.#calls.filter(
      ({ state }, at) => state === "held" && before[at]?.state === "waiting",
    );
    const [call, ...others] = served;
    // Several are served at once only if other tenants are no longer active.
    if (call === undefined || others.length > 0) return;
    const { tenant, client } = call;
    if (this.#in("held").length > this.#limits.slots) {
      assert.equal(this.#heldBy(tenant), 1, "reserved slots are for tenants without a slot");
    }
    const share = (name: string) => this.#heldBy(name) / (this.#weights[name] ?? 1);
    const shareBefore = (this.#heldBy(tenant) - 1) / (this.#weights[tenant] ?? 1);
    for (const other of this.#in("waiting")) {
      if (other.tenant !== tenant) {
        assert.ok(shareBefore <= share(other.tenant), "the tenant with the fewest slots is next");
      } else if (other.client === client) {
        assert.ok(this.#calls.indexOf(call) < this.#calls.indexOf(other), "oldest first");
      } else {
        const heldBefore = this.#heldBy(tenant, client) - 1;
        assert.ok(heldBefore <= this.#heldBy(tenant, other.client), "the client with the fewest");
      }
    }
  }

  check(): void {
    const { slots, reservedSlots, waitingMax } = this.#limits;
    const held = this.#in("held");
    const waiting = this.#in("waiting");
    assert.deepEqual([this.#queue.held, this.#queue.waiting], [held.length, waiting.length]);
    assert.ok(held.length <= slots + reservedSlots);
    assert.ok(waiting.length <= waitingMax);
    for (const { tenant, client } of waiting) {
      if (!this.#hasPassed) assert.ok(!this.#mayTake(tenant), "no free slot is left");
      const ofTenant = waiting.filter((call) => call.tenant === tenant);
      const ofClient = ofTenant.filter((call) => call.client === client);
      assert.ok(ofTenant.length <= Math.ceil(waitingMax / 2));
      assert.ok(ofClient.length <= Math.ceil(Math.ceil(waitingMax / 2) / 2));
    }
    const tenants = new Set([...held, ...waiting].map(({ tenant }) => tenant));
    assert.equal(this.#queue.tenants, tenants.size);
  }

  /** Everyone who waits is served in the end, and nothing is left. */
  async finish(): Promise<void> {
    while (this.#in("held").length > 0) {
      this.#release(this.#in("held")[0]);
      await settled();
      this.check();
    }
    assert.deepEqual([this.#queue.held, this.#queue.waiting, this.#queue.tenants], [0, 0, 0]);
  }

  #in(state: ModelCall["state"]): ModelCall[] {
    return this.#calls.filter((call) => call.state === state);
  }

  #heldBy(tenant: string, client?: string): number {
    const held = this.#in("held").filter((call) => call.tenant === tenant);
    return client === undefined
      ? held.length
      : held.filter((call) => call.client === client).length;
  }
}
