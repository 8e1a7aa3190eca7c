import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { lineBytesMax, readLines } from "./read-lines.ts";

async function read(chunks: readonly Buffer[]) {
  async function* stream() {
    yield* chunks;
  }
  const lines = [];
  for await (const batch of readLines(stream())) lines.push(...batch);
  return lines;
}

async function readTexts(text: string): Promise<string[]> {
  return (await read([Buffer.from(text)])).map((line) => line.bytes.toString());
}

describe("reading lines", () => {
  it("treats LF and CR LF as line breaks, and CR alone as text", async () => {
    assert.deepEqual(await readTexts("a\nb\r\nc\rd\n\r\n"), ["a", "b", "c\rd", ""]);
  });

  it("returns a last line without a line break, and no line after a last line break", async () => {
    assert.deepEqual(await readTexts("a\nb"), ["a", "b"]);
    assert.deepEqual(await readTexts("a\n"), ["a"]);
    assert.deepEqual(await readTexts(""), []);
  });

  it("leaves out a byte order mark at the start only", async () => {
    assert.deepEqual(await readTexts("\ufeffa\n\ufeffb"), ["a", "\ufeffb"]);
  });

  it("counts lines from 1, empty ones included", async () => {
    const lines = await read([Buffer.from("a\n\nb")]);
    assert.deepEqual(
      lines.map((line) => line.number),
      [1, 2, 3],
    );
  });

  it("returns the same lines for any split into chunks", async () => {
    const text = fc
      .array(fc.constantFrom("a", "é", "\n", "\r\n", "\r", "\ufeff", "\n\n"), { maxLength: 20 })
      .map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.integer({ min: 1, max: 5 })), async (all, sizes) => {
        const bytes = Buffer.from(all);
        const chunks = [];
        let from = 0;
        for (const size of sizes) {
          chunks.push(bytes.subarray(from, from + size));
          from += size;
        }
        const cut = await read([...chunks, bytes.subarray(from)]);
        assert.deepEqual(
          cut.map((line) => line.bytes.toString()),
          await readTexts(all),
        );
      }),
    );
  });

  for (const lineBreak of ["\n", "\r\n", ""]) {
    it(`accepts a line of the exact limit, ending in ${JSON.stringify(lineBreak)}`, async () => {
      const [line] = await read([Buffer.from("x".repeat(lineBytesMax)), Buffer.from(lineBreak)]);
      assert.equal(line?.isTooLong, false);
      assert.equal(line?.bytes.length, lineBytesMax);
    });

    it(`marks a line one byte longer, ending in ${JSON.stringify(lineBreak)}`, async () => {
      const [line] = await read([Buffer.from(`${"x".repeat(lineBytesMax + 1)}${lineBreak}`)]);
      assert.equal(line?.isTooLong, true);
    });
  }

  it("keeps no more of a long line than the limit, and continues after it", async () => {
    const mebibyte = Buffer.alloc(1024 * 1024, "x");
    const lines = await read([...new Array(64).fill(mebibyte), Buffer.from("\nnext")]);
    assert.deepEqual(
      lines.map((line) => [line.isTooLong, line.bytes.length]),
      [
        [true, lineBytesMax + 1],
        [false, 4],
      ],
    );
  });
});
