import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { giveMemoryBack, takeMemory } from "./buffer-pool.ts";

describe("memory for answers", () => {
  it("is never lent twice at a time, whatever is given back and how often", () => {
    const held = new Map<number, Uint8Array<ArrayBuffer>>();
    for (let round = 0; round < 2000; round++) {
      const number = (round * 7919) % 100;
      const bytes = held.get(number);
      if (bytes === undefined) {
        held.set(number, takeMemory([10, 20_000, 60_000, 100_000][round % 4] ?? 0).fill(number));
      } else {
        assert.ok(bytes.every((byte) => byte === number));
        held.delete(number);
        giveMemoryBack(bytes);
        giveMemoryBack(bytes);
      }
    }
  });

  it("is used again once it was given back", () => {
    const first = takeMemory(60_000);
    giveMemoryBack(first);
    const second = takeMemory(20_000);
    assert.equal(second.length, 20_000);
    assert.equal(second.buffer, first.buffer);
  });

  it("is not a whole block for little", () => {
    const block = takeMemory(60_000);
    giveMemoryBack(block);
    const little = takeMemory(1000);
    assert.equal(little.length, 1000);
    assert.notEqual(little.buffer, block.buffer);
  });

  it("does not take what is not its own", () => {
    const own = new Uint8Array(64 * 1024);
    giveMemoryBack(own);
    assert.notEqual(takeMemory(60_000).buffer, own.buffer);
  });
});
