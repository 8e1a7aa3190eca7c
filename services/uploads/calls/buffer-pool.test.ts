import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BufferPool, type PooledBuffer } from "./buffer-pool.ts";

describe("BufferPool", () => {
  it("never reuses memory that is in use, however often a buffer is released", () => {
    const pool = new BufferPool();
    const held = new Map<number, PooledBuffer>();
    for (let round = 0; round < 2000; round++) {
      const number = (round * 7919) % 100;
      const buffer = held.get(number);
      if (buffer === undefined) {
        const acquired = pool.acquire([10, 20_000, 60_000, 100_000][round % 4] ?? 0);
        acquired.bytes.fill(number);
        held.set(number, acquired);
      } else {
        assert.ok(buffer.bytes.every((byte) => byte === number));
        held.delete(number);
        buffer.release();
        buffer.release();
      }
    }
  });

  it("reuses released memory", () => {
    const pool = new BufferPool();
    const first = pool.acquire(60_000);
    first.release();
    const second = pool.acquire(20_000);
    assert.equal(second.bytes.length, 20_000);
    assert.equal(second.bytes.buffer, first.bytes.buffer);
  });

  it("uses no whole block for a small buffer", () => {
    const pool = new BufferPool();
    const block = pool.acquire(60_000);
    block.release();
    const small = pool.acquire(1000);
    assert.equal(small.bytes.length, 1000);
    assert.notEqual(small.bytes.buffer, block.bytes.buffer);
  });
});
