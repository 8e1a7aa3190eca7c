import { threeDigits, wholeNumber, withSpread } from "../frame/figures.ts";
import { markdownTable } from "../frame/markdown-table.ts";
import { spreadOf } from "../frame/statistics.ts";
import type { NewestRow } from "./measure-newest.ts";

export function newestTable(rows: readonly NewestRow[]): string {
  const table = markdownTable(rows, [
    { title: "connections", align: "right", cell: ({ connections }) => `${connections}` },
    { title: "who", align: "left", cell: ({ contestant }) => contestant.name },
    {
      title: "requests/s",
      align: "right",
      cell: ({ measurement }) => wholeNumber(spreadOf(measurement.rates).median),
    },
    { title: "of floor", align: "right", cell: ({ ofFloor }) => withSpread(ofFloor) },
    { title: "of plain", align: "right", cell: ({ ofPlain }) => withSpread(ofPlain) },
    latency(50),
    latency(99),
    {
      title: "server, µs CPU",
      align: "right",
      cell: ({ serverMicroseconds }) => threeDigits(serverMicroseconds),
    },
    {
      title: "database, µs CPU",
      align: "right",
      cell: ({ databaseMicroseconds }) => threeDigits(databaseMicroseconds),
    },
  ]);
  return `**Newest 50 of the folder** (${rows[0]!.measurement.rates.length} rounds)\n\n${table}`;
}

function latency(percentile: number) {
  return {
    title: `p${percentile} ms`,
    align: "right" as const,
    cell: ({ measurement }: NewestRow) => threeDigits(measurement.latencyMs(percentile)),
  };
}
