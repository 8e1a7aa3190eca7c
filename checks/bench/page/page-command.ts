/** The page in a real browser, and content through its server: what people wait for. */
import { join } from "node:path";
import { createLogger, openDatabase } from "@stowage/process";
import { makeTemporaryFolder, startChromium, withClient } from "@stowage/process/testing";
import { type Command, InvalidArgumentError } from "commander";
import { startPagePrograms } from "../../page/testing/page-programs.ts";
import { openVisitor, signIn } from "../../page/testing/visitor.ts";
import { root, stowageOn } from "../../testing/programs.ts";
import { organisationId } from "../data-set/data-set.ts";
import { generatedDataSet } from "../data-set/generated-data-set.ts";
import { openLoaded } from "../database/loaded-database.ts";
import { figuresTable, measureProbes, type Probe } from "../measuring/probes.ts";
import { type BenchmarkOptions, benchmarkCommand } from "../report/benchmark-command.ts";
import { wholeNumber } from "../report/tables.ts";
import { contentProbes } from "./content-probes.ts";
import { pageProbes } from "./page-probes.ts";
import { subfolderCount, wideFolderLines } from "./wide-folder.ts";

interface PageOptions extends BenchmarkOptions {
  readonly rows: number;
}

const rowsDefault = 1_000_000;
const roundsMin = 2;

export function pageCommand(signal: AbortSignal): Command {
  return benchmarkCommand<PageOptions>(
    {
      name: "page",
      summary: "the page in Chromium: first load, search, scrolling; content through its server",
      secondsDefault: 60,
      signal,
      placeOf: ({ rows }) => (rows === rowsDefault ? "page" : `page-${rows}`),
    },
    measurePage,
  ).option("--rows <number>", "how many uploads there are", readRows, rowsDefault);
}

function readRows(text: string): number {
  const rows = Number(text);
  if (Number.isSafeInteger(rows) && rows >= 200) return rows;
  throw new InvalidArgumentError("Need a whole number from 200.");
}

async function measurePage({ rows, seconds }: PageOptions, signal: AbortSignal): Promise<string> {
  const measured = [
    ...(await onLoadedBucket(rows, seconds, signal)),
    ...(await onSmallBuckets(seconds, signal)),
  ];
  const about =
    `The list and the search are of ${wholeNumber(rows)} uploads made from a seed, in a window ` +
    `of 1440 × 900. The wide folder has ${wholeNumber(subfolderCount)} subfolders. *Painted* is ` +
    "when the browser has painted the frame after the answer's rows are in the page. Memory is " +
    "that of the processes that answer, above what they used before.";
  return `${about}\n\n${figuresTable(measured, { baseline: "", subject: "page" })}`;
}

type Measured = Awaited<ReturnType<typeof measureProbes>>;

async function onLoadedBucket(
  rows: number,
  seconds: number,
  signal: AbortSignal,
): Promise<Measured> {
  await using stack = new AsyncDisposableStack();
  const folder = { path: join(root, "data", "bench"), isDefault: true };
  const options = { checkout: root, folder, fresh: false, signal };
  const { databaseUrl } = stack.use(await openLoaded(generatedDataSet(rows), options));
  // An earlier run has left its account, and keys that are encrypted with a key that is gone.
  const removal = "drop schema if exists auth, web, denylist cascade";
  await withClient(databaseUrl, (client) => client.query(removal));
  return await measureIn(databaseUrl, pageProbes.list, { seconds, signal }, stack);
}

/** A database of its own: a directory with a large file, and a folder with many folders. */
async function onSmallBuckets(seconds: number, signal: AbortSignal): Promise<Measured> {
  await using stack = new AsyncDisposableStack();
  const folder = await makeTemporaryFolder();
  stack.defer(() => folder.remove());
  const logger = createLogger({ name: "bench", level: "warn" });
  const dataDir = { path: join(folder.path, "database"), isDefault: false };
  const { databaseUrl, close } = await openDatabase({ dataDir, logger });
  stack.defer(close);
  await stowageOn(databaseUrl)(["import", "ndjson", "-"], wideFolderLines(organisationId));
  const probes = async (context: Parameters<typeof pageProbes.list>[0]) => [
    ...(await pageProbes.wideFolder(context)),
    ...(await contentProbes(context, databaseUrl, folder.path)),
  ];
  return await measureIn(databaseUrl, probes, { seconds, signal }, stack);
}

async function measureIn(
  databaseUrl: string,
  probesOf: (context: Parameters<typeof pageProbes.list>[0]) => Promise<readonly Probe[]>,
  { seconds, signal }: { readonly seconds: number; readonly signal: AbortSignal },
  stack: AsyncDisposableStack,
): Promise<Measured> {
  const folder = await makeTemporaryFolder();
  stack.defer(() => folder.remove());
  const run = stowageOn(databaseUrl);
  // All slow readers are one person.
  const settings = { web: { PERSON_CONTENT_MAX: "100" } };
  const options = { databaseUrl, organisationId, folder: folder.path, run, settings };
  const programs = await startPagePrograms(options, stack);
  const browser = await startChromium();
  stack.defer(() => browser.close());
  const visitor = stack.use(await openVisitor({ browser, url: programs.url }));
  await signIn(visitor, programs);
  const probes = await probesOf({ programs, visitor, run });
  return await measureProbes(probes, { seconds: seconds / 2, roundsMin, signal });
}
