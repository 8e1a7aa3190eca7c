/** What the figures of a setting say, as tables. */
import { threeDigits, wholeNumber, withSpread } from "../frame/figures.ts";
import { markdownTable } from "../frame/markdown-table.ts";
import { ratiosOf, type Spread, spreadOf } from "../frame/statistics.ts";
import { fastJwtCached, jose, ours, oursCached, yardstick } from "./contestants.ts";
import type { Measured } from "./measure-setting.ts";

export interface MeasuredSetting {
  readonly title: string;
  readonly measured: readonly Measured[];
}

export function settingTable({ title, measured }: MeasuredSetting): string {
  const table = markdownTable(measured, [
    { title: "validator", align: "left", cell: ({ contestant }) => contestant.name },
    { title: "calls/s", align: "right", cell: (row) => wholeNumber(spreadOf(rates(row)).median) },
    {
      title: "of crypto.verify",
      align: "right",
      cell: (row) => withSpread(rateRatio(row, named(measured, yardstick))),
    },
    {
      title: "of jose",
      align: "right",
      cell: (row) => withSpread(rateRatio(row, named(measured, jose))),
    },
    { title: "median µs", align: "right", cell: (row) => latencyMicroseconds(row, 50) },
    { title: "p99 µs", align: "right", cell: (row) => latencyMicroseconds(row, 99) },
    {
      title: "CPU µs/call",
      align: "right",
      cell: (row) => threeDigits(spreadOf(processorTimes(row)).median),
    },
  ]);
  return `**${title}** (${measured[0]?.rates.length} rounds)\n\n${table}`;
}

interface Goal {
  readonly title: string;
  readonly of: string;
  readonly to: string;
  readonly least: number;
  /** Default: of the rates. */
  readonly ratio?: (one: Measured, other: Measured) => Spread;
}

const goals: readonly Goal[] = [
  { title: "uncached ≥ 0.8 × crypto.verify", of: ours, to: yardstick, least: 0.8 },
  { title: "uncached ≥ 1.5 × jose", of: ours, to: jose, least: 1.5 },
  { title: "the same per CPU time", of: ours, to: jose, least: 1.5, ratio: processorRatio },
  { title: "cached ≥ 15 × jose", of: oursCached, to: jose, least: 15 },
  { title: "cached > fast-jwt, cache", of: oursCached, to: fastJwtCached, least: 1 },
];

export function goalsTable(settings: readonly MeasuredSetting[]): string {
  const table = markdownTable(settings, [
    { title: "goal", align: "left", cell: ({ title }) => title },
    ...goals.map(({ title, of, to, least, ratio = rateRatio }) => ({
      title,
      align: "right" as const,
      cell({ measured }: MeasuredSetting) {
        const { median } = ratio(named(measured, of), named(measured, to));
        return `${threeDigits(median)} ${median >= least ? "pass" : "MISS"}`;
      },
    })),
  ]);
  return `**Goals**\n\n${table}`;
}

/** How many calls the one makes while the other makes one. */
function rateRatio(one: Measured, other: Measured): Spread {
  return spreadOf(ratiosOf(rates(one), rates(other)));
}

/** The same where every processor is busy. */
function processorRatio(one: Measured, other: Measured): Spread {
  return spreadOf(ratiosOf(processorTimes(other), processorTimes(one)));
}

function named(measured: readonly Measured[], name: string): Measured {
  const found = measured.find(({ contestant }) => contestant.name === name);
  if (found === undefined) throw new Error(`Cannot compare with ${name}: it was not measured`);
  return found;
}

function rates({ rates: slices }: Measured): number[] {
  return slices.map(({ callsPerSecond }) => callsPerSecond);
}

function latencyMicroseconds({ latencies }: Measured, percentile: number): string {
  return threeDigits(latencies.percentile(percentile) / 1000);
}

function processorTimes({ rates: slices }: Measured): number[] {
  return slices.map(({ processorMicrosecondsPerCall }) => processorMicrosecondsPerCall);
}
