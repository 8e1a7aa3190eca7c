import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ChunkWriter } from "./json.ts";

function start() {
  const sent: string[] = [];
  const chunks = new ChunkWriter(async (chunk) => {
    sent.push(Buffer.from(chunk).toString());
    await Promise.resolve();
  });
  const add = (text: string) => chunks.add(Buffer.from(text));
  return { sent, chunks, add };
}

describe("ChunkWriter", () => {
  it("sends the first part at once, and later ones in chunks", async () => {
    const { sent, chunks, add } = start();
    await chunks.sendFull();
    add("a");
    await chunks.sendFull();
    add("b");
    await chunks.sendFull();
    add("c");
    await chunks.sendFull();
    assert.deepEqual(sent, ["a"]);
    await chunks.sendAll();
    await chunks.sendAll();
    assert.deepEqual(sent, ["a", "bc"]);
  });

  it("sends everything, in order and whole, whatever the sizes", async () => {
    const { sent, chunks, add } = start();
    const texts = Array.from({ length: 400 }, (_, index) =>
      String(index).repeat(index % 50 === 0 ? 200_000 : index),
    );
    for (const text of texts) {
      add(text);
      await chunks.sendFull();
    }
    await chunks.sendAll();
    assert.equal(sent.join(""), texts.join(""));
    assert.ok(sent.slice(1, -1).every((chunk) => chunk.length >= 64 * 1024));
  });
});
