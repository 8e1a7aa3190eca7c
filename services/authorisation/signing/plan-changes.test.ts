import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type KeyTimes,
  keptAfterRetirementSeconds,
  keysInSet,
  keyThatSigns,
  stateOf,
} from "../model/key-times.ts";
import { accessTokenSecondsMax } from "../model/lifetimes.ts";
import { KeyChangeRefusedError, planRotation, planWithdrawal } from "./plan-changes.ts";

const publicationMs = 60_000;
const hourMs = 3_600_000;

/** A service whose clock stops between steps. It records which key signed when. */
class Simulation {
  nowMs = 1_800_000_000_000;
  keys: readonly KeyTimes[] = [];
  readonly signed: { keyId: string; atMs: number }[] = [];
  readonly withdrawn = new Map<string, number>();
  /** Keys that signed without being published before: the first, and those after a withdrawal. */
  readonly hasty = new Set<string>();
  #count = 0;

  rotate(): boolean {
    const before = this.signer;
    const newKeyId = this.#nextId();
    const { keys, nowMs } = this;
    const isDone = this.#apply(() => planRotation({ keys, nowMs, newKeyId, publicationMs }));
    if (before === undefined) this.hasty.add(newKeyId);
    return isDone;
  }

  withdraw(keyId: string): void {
    const newKeyId = this.#nextId();
    const { keys, nowMs, signer } = this;
    this.#apply(() => planWithdrawal({ keys, nowMs, newKeyId, keyId }));
    if (!this.withdrawn.has(keyId)) this.withdrawn.set(keyId, nowMs);
    if (signer === keyId && this.signer !== undefined) this.hasty.add(this.signer);
  }

  /** Advances the clock in steps, and signs a token at each of them. */
  pass(ms: number): void {
    for (const part of [0, 0.25, 0.5, 0.75, 1]) this.check(this.nowMs + Math.floor(ms * part));
    this.nowMs += ms;
  }

  check(atMs: number): void {
    const signing = this.keys.filter((key) => stateOf(key, atMs) === "signing");
    assert.equal(signing.length, 1, "one key signs");
    const [key] = signing as [KeyTimes];
    assert.equal(keyThatSigns(this.keys, atMs), key);
    assert.ok(
      this.hasty.has(key.keyId) || atMs - key.createdAtMs >= publicationMs,
      "it was published for long enough",
    );
    this.signed.push({ keyId: key.keyId, atMs });
    const published = new Set(keysInSet(this.keys, atMs).map(({ keyId }) => keyId));
    for (const token of this.signed) {
      const isValid = atMs <= token.atMs + (accessTokenSecondsMax + 60) * 1000;
      const isTaken = (this.withdrawn.get(token.keyId) ?? Number.POSITIVE_INFINITY) <= atMs;
      if (isTaken) assert.ok(!published.has(token.keyId), "a withdrawn key is out at once");
      else if (isValid) assert.ok(published.has(token.keyId), "a valid token can be verified");
    }
    assert.ok(published.size <= 16, "a key set has an end");
  }

  get signer(): string | undefined {
    return keyThatSigns(this.keys, this.nowMs)?.keyId;
  }

  #apply(plan: () => KeyTimes[]): boolean {
    try {
      const changed = new Map(plan().map((key) => [key.keyId, key]));
      const kept = this.keys.filter(({ keyId }) => !changed.has(keyId));
      this.keys = [...kept, ...changed.values()];
      assert.ok(
        this.keys.filter((key) => key.retiredAtMs === undefined).length === 1,
        "one key has no end yet",
      );
      return true;
    } catch (error) {
      assert.ok(error instanceof KeyChangeRefusedError);
      return false;
    }
  }

  #nextId(): string {
    this.#count += 1;
    return `key ${this.#count}`;
  }
}

function started(): Simulation {
  const simulation = new Simulation();
  simulation.rotate();
  return simulation;
}

function idsInSet({ keys, nowMs }: Simulation): string[] {
  return keysInSet(keys, nowMs).map(({ keyId }) => keyId);
}

describe("the keys that sign", () => {
  it("follow the rules at any moment, after any changes", () => {
    const pause = fc.oneof(
      fc.constant(0),
      fc.integer({ min: 1, max: 2 * publicationMs }),
      fc.integer({ min: 1, max: 2 * hourMs }),
    );
    const step = fc.record({
      pause,
      act: fc.constantFrom("rotate", "rotate", "rotate", "withdraw"),
      which: fc.nat(5),
    });
    const history = (steps: { pause: number; act: string; which: number }[]) => {
      const simulation = started();
      for (const { pause: pauseMs, act, which } of steps) {
        simulation.pass(pauseMs);
        if (act === "rotate") simulation.rotate();
        else
          simulation.withdraw(
            simulation.keys.at(-1 - (which % simulation.keys.length))?.keyId ?? "",
          );
      }
      simulation.pass(2 * hourMs);
    };
    fc.assert(fc.property(fc.array(step, { maxLength: 40 }), history), { numRuns: 500 });
  });

  it("leave the key set when their last token has expired, and not before", () => {
    const simulation = started();
    simulation.pass(hourMs);
    simulation.rotate();
    simulation.pass(publicationMs + keptAfterRetirementSeconds * 1000 - 1);
    assert.deepEqual(idsInSet(simulation), ["key 2", "key 1"]);
    simulation.pass(1);
    assert.deepEqual(idsInSet(simulation), ["key 2"]);
  });

  it("sign before their time if the clock of another database server is behind", () => {
    const { keys, nowMs } = started();
    assert.equal(keyThatSigns(keys, nowMs - 5000)?.keyId, "key 1");
    assert.equal(keysInSet(keys, nowMs - 5000).length, 1);
  });

  it("stay published longer than any token lives, with a margin for clocks", () => {
    assert.ok(keptAfterRetirementSeconds >= accessTokenSecondsMax + 60 + 10);
  });
});

describe("a rotation", () => {
  it("publishes at once and signs later", () => {
    const simulation = started();
    simulation.pass(1);
    simulation.rotate();
    assert.deepEqual(idsInSet(simulation), ["key 2", "key 1"]);
    simulation.pass(publicationMs - 1);
    assert.equal(simulation.signer, "key 1");
    simulation.pass(1);
    assert.equal(simulation.signer, "key 2");
  });

  it("is refused while another is running", () => {
    const simulation = started();
    simulation.rotate();
    assert.equal(simulation.rotate(), false);
    simulation.pass(publicationMs);
    assert.equal(simulation.rotate(), true);
  });

  it("is refused while the key set is full", () => {
    const simulation = started();
    const rotateSoon = () => {
      simulation.pass(publicationMs);
      return simulation.rotate();
    };
    while (rotateSoon());
    assert.equal(idsInSet(simulation).length, 16);
    simulation.pass(hourMs);
    assert.equal(simulation.rotate(), true);
  });
});

describe("a withdrawal", () => {
  it("of the current key makes another key sign at once", () => {
    const simulation = started();
    simulation.pass(10);
    simulation.withdraw("key 1");
    assert.deepEqual(idsInSet(simulation), ["key 2"]);
    assert.equal(simulation.signer, "key 2");
  });

  it("of the current key lets the waiting key sign at once", () => {
    const simulation = started();
    simulation.rotate();
    simulation.pass(10);
    simulation.withdraw("key 1");
    assert.deepEqual(idsInSet(simulation), ["key 2"]);
    assert.equal(simulation.signer, "key 2");
  });

  it("of the waiting key does not change the current key", () => {
    const simulation = started();
    simulation.rotate();
    simulation.pass(10);
    simulation.withdraw("key 2");
    simulation.pass(2 * publicationMs);
    assert.equal(simulation.signer, "key 1");
    assert.equal(simulation.rotate(), true);
  });

  it("of a withdrawn key changes nothing, and of an unknown key is refused", () => {
    const simulation = started();
    simulation.withdraw("key 1");
    const { keys, nowMs } = simulation;
    const options = { keys, nowMs: nowMs + 5, newKeyId: "key 9" };
    assert.deepEqual(planWithdrawal({ ...options, keyId: "key 1" }), []);
    assert.throws(() => planWithdrawal({ ...options, keyId: "key 8" }), {
      name: "KeyChangeRefusedError",
      message: "Cannot withdraw key key 8: there is no such key",
    });
  });
});
