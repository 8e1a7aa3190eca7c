import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readUntilAborted } from "./read-until-aborted.ts";

describe("readUntilAborted()", () => {
  async function* twoChunks() {
    yield Uint8Array.of(1);
    yield Uint8Array.of(2);
  }

  it("gives the chunks of a body", async () => {
    const chunks = await Array.fromAsync(
      readUntilAborted(twoChunks(), new AbortController().signal),
    );
    assert.deepEqual(chunks, [Uint8Array.of(1), Uint8Array.of(2)]);
  });

  it("ends a wait for a body that does not come", async () => {
    const stop = new AbortController();
    const never = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    const reading = readUntilAborted(never, stop.signal).next();
    const reason = new Error("time is up");
    stop.abort(reason);
    await assert.rejects(reading, reason);
  });
});
