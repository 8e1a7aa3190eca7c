import assert from "node:assert/strict";
import { it } from "node:test";
import { readMemory, readProcessorMs, resetPeak } from "./process-usage.ts";

const noProcess = 2 ** 22 + 1;

it("the memory of a process is what it uses, and its peak the most of that", async () => {
  await resetPeak(process.pid);
  const before = await readMemory(process.pid);
  const filled = Buffer.alloc(100 * 2 ** 20, 1);
  const after = await readMemory(process.pid);
  assert.equal(filled.at(-1), 1);
  assert.ok(after.residentBytes - before.residentBytes > 80 * 2 ** 20);
  assert.ok(after.peakBytes >= after.residentBytes);
  await assert.rejects(readMemory(noProcess), { code: "ENOENT" });
});

it("the processor time of a process is how long it worked, not how long it waited", async () => {
  const read = () => readProcessorMs([process.pid, noProcess]);
  const before = await read();
  const worked = process.cpuUsage();
  while (process.cpuUsage(worked).user < 200_000) Math.random();
  const spentMs = (await read()) - before;
  const { user, system } = process.cpuUsage(worked);
  assert.ok(Math.abs(spentMs - (user + system) / 1000) <= 30, `${spentMs} ms`);
});
