import assert from "node:assert/strict";
import { it } from "node:test";
import { readProcessorMs, spentMs } from "./processor-time.ts";

it("a process's time is what it has worked, not what it has waited", async () => {
  const read = () => readProcessorMs([process.pid, 2 ** 22 + 1]);
  const before = await read();
  const worked = process.cpuUsage();
  while (process.cpuUsage(worked).user < 200_000) Math.random();
  const spent = spentMs(before, await read());
  const { user, system } = process.cpuUsage(worked);
  assert.ok(Math.abs(spent - (user + system) / 1000) <= 30, `${spent} of ${user + system} µs`);
});

it("time is spent by those that are there at the end", () => {
  const before = new Map([
    [1, 100],
    [2, 50],
  ]);
  const after = new Map([
    [2, 70],
    [3, 5],
  ]);
  assert.equal(spentMs(before, after), 25);
});
