/** What a flood of made-up key IDs does to the issuer and to other callers. */
import type { Command } from "commander";
import { benchmarkCommand } from "../report/benchmark-command.ts";
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
    async ({ seconds }) => {
      const outcomes: FloodOutcome[] = [];
      for (const floodCase of cases) {
        outcomes.push(await runFloodCase(floodCase, seconds / cases.length, signal));
      }
      return outcomesTable(outcomes);
    },
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

const fetchesMax = 2;
const newKeyMsMax = 5_000;

function outcomesTable(outcomes: readonly FloodOutcome[]): string {
  const titles = [
    "case",
    `fetches in any 10 s (≤ ${fetchesMax})`,
    `new key works after (≤ ${wholeNumber(newKeyMsMax)} ms)`,
    "unknown keys",
    "good tokens",
    "median µs",
    "p99 µs",
    "max µs",
  ];
  const rows = outcomes.map(
    ({ floodCase, fetchesInAnyWindow, newKeyRefusedMs: ms, ...outcome }) => [
      floodCase.title,
      `${fetchesInAnyWindow} ${judge(fetchesInAnyWindow <= fetchesMax)}`,
      ms === undefined ? "" : `${threeDigits(ms)} ms ${judge(ms <= newKeyMsMax)}`,
      list(outcome.unknownEnds),
      list(outcome.goodEnds),
      ...[50, 99, 100].map((percentile) =>
        threeDigits(outcome.goodLatencies.percentile(percentile) / 1000),
      ),
    ],
  );
  return markdownTable(titles, rows);
}

function judge(isMet: boolean): string {
  return isMet ? "pass" : "MISS";
}

function list(ends: FloodOutcome["goodEnds"]): string {
  return Object.entries(ends)
    .map(([end, times]) => `${wholeNumber(times)} ${end}`)
    .join(", ");
}
