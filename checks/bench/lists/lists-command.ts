/** How fast lists are: the newest of a folder, and every other sort of every part of a bucket. */
import type { Command } from "commander";
import { wholeNumber } from "../frame/figures.ts";
import { goalsTable } from "../frame/goals.ts";
import { Measurement } from "../load/measurement.ts";
import { readMemory } from "../programs/process-memory.ts";
import { listRequests } from "../stage/call-service.ts";
import {
  type DataBenchmarkOptions,
  type DataBenchmarkRun,
  dataBenchmarkCommand,
  readRows,
} from "../stage/data-benchmark.ts";
import { newestOfFolder, pageRequest } from "../stage/list-shapes.ts";
import { compareLists } from "./compare-lists.ts";
import { type Contestants, openContestants } from "./contestants.ts";
import { listGoals } from "./goals.ts";
import { measureNewest } from "./measure-newest.ts";
import { measureReads } from "./measure-reads.ts";
import { measureSorts } from "./measure-sorts.ts";
import { newestTable } from "./newest-table.ts";
import { provePages } from "./prove-pages.ts";
import { sortedPages } from "./sorted-pages.ts";
import { sortsTable } from "./sorts-table.ts";

export function listsCommand(signal: AbortSignal): Command {
  return dataBenchmarkCommand(
    {
      name: "lists",
      summary: "ListUploads: pages of 50 in every order, beside a bare server and a plain handler",
      secondsDefault: 240,
      signal,
    },
    measureLists,
    compareLists,
  ).option(
    "--beside <rows>",
    "also measure each list in so many uploads, in the same rounds",
    readRows,
  );
}

interface ListsOptions extends DataBenchmarkOptions {
  readonly beside?: number;
}

/** What part of the time goes where. */
const parts = { warmUp: 0.15, newest: 0.25, sorts: 0.35, reads: 0.25 };

async function measureLists(run: DataBenchmarkRun, { beside }: ListsOptions): Promise<string> {
  const { stage } = run;
  await using other = beside === undefined ? undefined : await run.openOther(beside);
  const during = (part: number) => ({ ...run, seconds: part * run.seconds });
  await using contestants = await openContestants(stage);
  const pages = await sortedPages(stage);
  await provePages(stage, contestants, pages);
  say("warming up");
  const ceiling = await warmUp(during(parts.warmUp), contestants);
  say("the newest of the folder");
  const newest = await measureNewest(during(parts.newest), contestants);
  const { peakBytes } = await readMemory(stage.service.processId);
  say("every sort");
  const sorts = await measureSorts(during(parts.sorts), contestants, pages, other);
  say("what they read");
  const requests = pages.flatMap(({ first, late }) => [first, late]);
  const reads = await measureReads(during(parts.reads), requests);
  const sortsWithReads = sorts.map((row, index) => ({
    ...row,
    firstReads: reads[2 * index],
    lateReads: reads[2 * index + 1],
  }));
  return [
    `The load generator gets ${wholeNumber(ceiling)} answers/s of 48 kB from a server with a ` +
      `fixed body. Each server has up to ${contestants.databaseConnections} connections to the ` +
      `database. The service's memory: at most ${wholeNumber(peakBytes / 2 ** 20)} MiB.`,
    newestTable(newest),
    sortsTable(sortsWithReads, beside),
    goalsTable(listGoals(newest, sorts, beside)),
  ].join("\n\n");
}

function say(what: string): void {
  process.stderr.write(`bench: ${what}\n`);
}

const warmUpMsMax = 10_000;

/** Everyone runs until compiled. Gives the rate at which the load generator can take answers. */
async function warmUp(
  { stage, seconds, signal }: DataBenchmarkRun,
  { service, floor, plain, fixedBody }: Contestants,
): Promise<number> {
  const all = [service, floor, plain, fixedBody];
  const milliseconds = Math.min(warmUpMsMax, (seconds * 1000) / all.length);
  const requests = listRequests(stage, pageRequest(newestOfFolder, stage.places));
  const last = new Measurement();
  for (const { port } of all) {
    signal.throwIfAborted();
    const order = { kind: "closed loop", port, requests, connections: 8, milliseconds } as const;
    last.add(await stage.load.obey(order));
  }
  return last.rates.at(-1)!;
}
