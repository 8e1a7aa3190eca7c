/** What a flood of made-up key IDs does to the issuer and to everyone else. */
import type { Command } from "commander";
import { type BenchmarkOptions, benchmarkCommand } from "../frame/benchmark-command.ts";
import { threeDigits, wholeNumber } from "../frame/figures.ts";
import { type Column, markdownTable } from "../frame/markdown-table.ts";
import { type FloodCase, type FloodOutcome, runFloodCase } from "./flood-case.ts";

export function keyFloodCommand(signal: AbortSignal): Command {
  return benchmarkCommand(
    {
      name: "key-flood",
      summary: "1,000 requests a second under unknown keys, in real time and over real HTTP",
      secondsDefault: 50,
      signal,
    },
    measureKeyFlood,
  );
}

const unknownPerSecond = 1000;
const cases: readonly FloodCase[] = [
  { title: "no flood", unknownPerSecond: 0, behaviour: "up", publishedAt: 0.5 },
  { title: "endpoint up", unknownPerSecond, behaviour: "up", publishedAt: 0.5 },
  { title: "up, new key right after a fetch", unknownPerSecond, behaviour: "up", publishedAt: 0 },
  { title: "endpoint answers 503", unknownPerSecond, behaviour: "failing" },
  { title: "endpoint hangs", unknownPerSecond, behaviour: "hanging" },
];

async function measureKeyFlood(
  { seconds }: BenchmarkOptions,
  signal: AbortSignal,
): Promise<string> {
  const caseSeconds = seconds / cases.length;
  const outcomes: FloodOutcome[] = [];
  for (const floodCase of cases) {
    process.stderr.write(`bench: ${floodCase.title}\n`);
    outcomes.push(await runFloodCase(floodCase, caseSeconds, signal));
  }
  const flood = `${wholeNumber(unknownPerSecond * caseSeconds)} requests`;
  return [
    `A flood is ${flood} in ${threeDigits(caseSeconds)} s.`,
    `**What the flood brings about**\n\n${markdownTable(outcomes, [title, ...boundColumns])}`,
    `**How long a good token takes**\n\n${markdownTable(outcomes, [title, ...goodTokenColumns])}`,
  ].join("\n\n");
}

const title: Column<FloodOutcome> = {
  title: "case",
  align: "left",
  cell: ({ floodCase }) => floodCase.title,
};

const fetchesMax = 2;
const newKeyMsMax = 5_000;

const boundColumns: readonly Column<FloodOutcome>[] = [
  {
    title: `fetches in any 10 s (≤ ${fetchesMax})`,
    align: "right",
    cell: ({ fetchesInAnyWindow: most }) => `${most} ${judge(most <= fetchesMax)}`,
  },
  {
    title: `new key works for every call after (≤ ${wholeNumber(newKeyMsMax)} ms)`,
    align: "right",
    cell: ({ newKey }) =>
      newKey === undefined
        ? ""
        : `${threeDigits(newKey.lastRefusedMs)} ms ${judge(newKey.lastRefusedMs <= newKeyMsMax)}`,
  },
  {
    title: "first accepted after",
    align: "right",
    cell: ({ newKey }) => (newKey === undefined ? "" : `${threeDigits(newKey.firstAcceptedMs)} ms`),
  },
  { title: "unknown keys", align: "left", cell: ({ unknownEnds }) => list(unknownEnds) },
  { title: "good tokens", align: "left", cell: ({ goodEnds }) => list(goodEnds) },
];

const goodTokenColumns: readonly Column<FloodOutcome>[] = [
  latency("from the call: median µs", ({ fromCall }) => fromCall.percentile(50)),
  latency("p99 µs", ({ fromCall }) => fromCall.percentile(99)),
  latency("max µs", ({ fromCall }) => fromCall.max),
  latency("from when due: median µs", ({ fromDue }) => fromDue.percentile(50)),
  latency("p99 µs", ({ fromDue }) => fromDue.percentile(99)),
  latency("max µs", ({ fromDue }) => fromDue.max),
];

function latency(name: string, nanoseconds: (of: FloodOutcome) => number): Column<FloodOutcome> {
  return { title: name, align: "right", cell: (of) => threeDigits(nanoseconds(of) / 1000) };
}

function judge(met: boolean): string {
  return met ? "pass" : "MISS";
}

function list(ends: ReadonlyMap<string, number>): string {
  return Array.from(ends, ([end, times]) => `${wholeNumber(times)} ${end}`).join(", ");
}
