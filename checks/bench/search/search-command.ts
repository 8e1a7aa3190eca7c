/** How long searches take: terms of all kinds, in every sort of every part of a bucket. */
import type { Command } from "commander";
import { threeDigits, wholeNumber, withSpread } from "../frame/figures.ts";
import { goalsTable } from "../frame/goals.ts";
import { percentileOf, spreadOf } from "../frame/statistics.ts";
import { type DataBenchmarkRun, dataBenchmarkCommand } from "../stage/data-benchmark.ts";
import { listShapes } from "../stage/list-shapes.ts";
import { steppedEntries } from "../yardsticks/index-steps.ts";
import { compareSearch } from "./compare-search.ts";
import { countMatches } from "./count-matches.ts";
import { measureSearch } from "./measure-search.ts";
import { latenciesOf, slowestTable, termsTable } from "./search-tables.ts";
import { noSearch, terms } from "./terms.ts";

export function searchCommand(signal: AbortSignal): Command {
  return dataBenchmarkCommand(
    {
      name: "search",
      summary: "ListUploads with a search: 40 terms of all kinds, in every list",
      secondsDefault: 120,
      signal,
    },
    reportSearch,
    compareSearch,
  );
}

async function reportSearch(run: DataBenchmarkRun): Promise<string> {
  const { databaseUrl, places } = run.stage;
  process.stderr.write("bench: counting what the terms find\n");
  const matches = await countMatches(
    databaseUrl,
    terms.map(({ text }) => text!),
  );
  process.stderr.write("bench: searching\n");
  const { lists, yardsticksMs } = await measureSearch(run);
  const measured = lists.filter(({ latenciesMs }) => latenciesMs.length > 0);
  const rows = [noSearch, ...terms].map((term) => ({
    term,
    matches: term.text === undefined ? undefined : matches.get(term.text),
    lists: measured.filter((list) => list.term === term),
  }));
  const searches = measured.filter(({ term }) => term !== noSearch);
  const latenciesMs = latenciesOf(searches);
  const [medianMs, p99Ms] = [percentileOf(latenciesMs, 50), percentileOf(latenciesMs, 99)];
  const yardstick = spreadOf(yardsticksMs);
  const timesYardstick = (ms: number) => threeDigits(ms / yardstick.median);
  const goalMs = p99MsMax(places.uploads);
  const listCount = terms.length * listShapes.length;
  return [
    `${wholeNumber(latenciesMs.length)} searches, one at a time, in ` +
      `${wholeNumber(searches.length)} of ${wholeNumber(listCount)} lists. ` +
      `The yardstick, to step over ${wholeNumber(steppedEntries)} index entries: ` +
      `${withSpread(yardstick)} ms.`,
    termsTable(rows.filter(({ lists }) => lists.length > 0)),
    slowestTable(searches),
    goalsTable([
      {
        title: `p99 of all searches ≤ ${goalMs} ms`,
        outcome:
          `${threeDigits(p99Ms)} ms, ${timesYardstick(p99Ms)} × the yardstick; ` +
          `the median is ${threeDigits(medianMs)} ms, ${timesYardstick(medianMs)} ×`,
        isMet: p99Ms <= goalMs,
      },
    ]),
  ].join("\n\n");
}

/** Four times as long is allowed in ten times as many uploads. */
function p99MsMax(uploads: number): number {
  return uploads > 1_500_000 ? 100 : 25;
}
