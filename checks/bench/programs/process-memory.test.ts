import assert from "node:assert/strict";
import { it } from "node:test";
import { forgetPeak, readMemory } from "./process-memory.ts";

const mebibyte = 1024 * 1024;

it("a process's memory is what it has in use, and its peak the most of that", async () => {
  await forgetPeak(process.pid);
  const before = await readMemory(process.pid);
  let filled: Buffer | undefined = Buffer.alloc(100 * mebibyte, 1);
  const after = await readMemory(process.pid);
  assert.equal(filled.at(-1), 1);
  assert.ok(after.residentBytes - before.residentBytes > 80 * mebibyte);
  assert.ok(after.peakBytes >= after.residentBytes);
  filled = undefined;
});

it("a process that is gone has none", async () => {
  await assert.rejects(readMemory(2 ** 22 + 1), { code: "ENOENT" });
});
