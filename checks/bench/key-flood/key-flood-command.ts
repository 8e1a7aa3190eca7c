/** What a flood of made-up key IDs does to the issuer and to everyone else. */
import type { Command } from "commander";
import { type BenchmarkOptions, benchmarkCommand } from "../report/benchmark-command.ts";
import { markdownTable, threeDigits, wholeNumber } from "../report/tables.ts";
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
    `**What the flood causes**\n\n${boundsTable(outcomes)}`,
    `**How long a good token takes**\n\n${goodTokensTable(outcomes)}`,
  ].join("\n\n");
}

const fetchesMax = 2;
const newKeyMsMax = 5_000;

function boundsTable(outcomes: readonly FloodOutcome[]): string {
  const titles = [
    "case",
    `fetches in any 10 s (≤ ${fetchesMax})`,
    `new key works for every call after (≤ ${wholeNumber(newKeyMsMax)} ms)`,
    "first accepted after",
    "unknown keys",
    "good tokens",
  ];
  const rows = outcomes.map(({ floodCase, fetchesInAnyWindow: fetches, newKey, ...ends }) => [
    floodCase.title,
    `${fetches} ${judge(fetches <= fetchesMax)}`,
    newKey
      ? `${threeDigits(newKey.lastRefusedMs)} ms ${judge(newKey.lastRefusedMs <= newKeyMsMax)}`
      : "",
    newKey ? `${threeDigits(newKey.firstAcceptedMs)} ms` : "",
    list(ends.unknownEnds),
    list(ends.goodEnds),
  ]);
  return markdownTable(titles, rows);
}

function goodTokensTable(outcomes: readonly FloodOutcome[]): string {
  const percentiles = [50, 99, 100];
  const names = ["median µs", "p99 µs", "max µs"];
  const titles = ["from the call", "from when due"].flatMap((start) =>
    names.map((name) => `${start}: ${name}`),
  );
  const rows = outcomes.map(({ floodCase, fromCall, fromDue }) => [
    floodCase.title,
    ...[fromCall, fromDue].flatMap((histogram) =>
      percentiles.map((percentile) => threeDigits(histogram.percentile(percentile) / 1000)),
    ),
  ]);
  return markdownTable(["case", ...titles], rows);
}

function judge(met: boolean): string {
  return met ? "pass" : "MISS";
}

function list(ends: ReadonlyMap<string, number>): string {
  return Array.from(ends, ([end, times]) => `${wholeNumber(times)} ${end}`).join(", ");
}
