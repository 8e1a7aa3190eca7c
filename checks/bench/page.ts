/** The page in a real browser, on a large bucket: what people wait for. */
import { join } from "node:path";
import { makeTemporaryFolder, startChromium, withClient } from "@stowage/process/testing";
import type { Command } from "commander";
import { startPagePrograms } from "../page/testing/page-programs.ts";
import { openVisitor, signIn } from "../page/testing/visitor.ts";
import { root, stowageOn } from "../testing/programs.ts";
import { type BenchmarkOptions, benchmarkCommand, readCount } from "./benchmark-command.ts";
import { generatedDataSet, organisationId } from "./data-set.ts";
import { openLoaded } from "./loaded-database.ts";
import { pageProbes } from "./page-probes.ts";
import { figuresTable, measureProbes } from "./probes.ts";
import { wholeNumber } from "./tables.ts";

interface PageOptions extends BenchmarkOptions {
  readonly rows: number;
}

const rowsDefault = 1_000_000;
const roundsMin = 2;

export function pageCommand(signal: AbortSignal): Command {
  return benchmarkCommand(
    {
      name: "page",
      summary: "the page in Chromium: first load, search, scrolling",
      secondsDefault: 60,
      signal,
    },
    measurePage,
  ).option("--rows <number>", "how many uploads there are", readCount, rowsDefault);
}

async function measurePage({ rows, seconds }: PageOptions, signal: AbortSignal): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const dataFolder = { path: join(root, "data", "bench"), isDefault: true };
  const options = { checkout: root, folder: dataFolder, fresh: false, signal };
  const { databaseUrl } = stack.use(await openLoaded(generatedDataSet(rows), options));
  // An earlier run has left its account, and keys that are encrypted with a key that is gone.
  const removal = "drop schema if exists auth, web, denylist cascade";
  await withClient(databaseUrl, (client) => client.query(removal));
  const folder = await makeTemporaryFolder();
  stack.defer(() => folder.remove());
  const run = stowageOn(databaseUrl);
  const world = { databaseUrl, organisationId, folder: folder.path, run };
  const programs = await startPagePrograms(world, stack);
  const browser = await startChromium();
  stack.defer(() => browser.close());
  const visitor = stack.use(await openVisitor({ browser, url: programs.url }));
  await signIn(visitor, programs);
  const measured = await measureProbes(pageProbes({ programs, visitor }), {
    ...{ seconds, roundsMin, signal },
  });
  const about =
    `The list and the search are of ${wholeNumber(rows)} uploads made from a seed, in a window ` +
    "of 1440 × 900. *Painted* is when the browser has painted the frame after the answer's rows " +
    "are in the page.";
  return `${about}\n\n${figuresTable(measured, { baseline: "", subject: "page" })}`;
}
