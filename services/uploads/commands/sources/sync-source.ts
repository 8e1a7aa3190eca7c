/** `sources sync`: runs a source now. */
import { printable, printText } from "@stowage/process";
import { Command } from "commander";
import type pg from "pg";
import { withPool } from "../../command-line/open-database.ts";
import { createProgress, type Progress } from "../../command-line/progress.ts";
import { skipIndexText } from "../../import/report.ts";
import { formatBytes, formatCount, formatDuration, formatThings } from "../../model/format.ts";
import { remarksOnSkipped, type SkippedEntries } from "../../sources/directory/skipped-entries.ts";
import { dataFoldersOf, openSource } from "../../sources/open-source.ts";
import type { RunEnd } from "../../sources/runs/end-run.ts";
import { type RunProgress, runSource } from "../../sources/runs/run-source.ts";
import { parseManifestAddress } from "../../sources/s3/store-location.ts";
import { findSource, locationText, type Source } from "../../sources/source.ts";
import type { SourcesContext } from "./context.ts";

interface SyncOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly inventory?: string;
}

const help = `
The source is listed and compared with the index. What is new and changed is written while it is
listed. When all is listed, the place is asked for each file that is gone, and what it does not
have is deleted. After an interruption, run it again: it lists the source anew, and writes what is
still different.

If the credentials may list but not ask, deletions of a large part of the source wait. With --yes
they are done.`;

export function syncCommand(context: SourcesContext): Command {
  return new Command("sync")
    .description("Runs a source now: brings its folder up to date with the place that it mirrors.")
    .argument("<name>", "the source")
    .option("--dry-run", "only say what a run would change")
    .option(
      "--yes",
      "delete all files that are gone, however many, also those that cannot be asked for",
    )
    .option(
      "--inventory <address>",
      "list an S3 source from this Inventory report: s3://BUCKET/…/manifest.json",
      checkManifestAddress,
    )
    .option("--json", "print events, one JSON object a line")
    .addHelpText("after", help)
    .action((name: string, options: SyncOptions) => syncSource(context, name, options));
}

function checkManifestAddress(text: string): string {
  parseManifestAddress(text);
  return text;
}

async function syncSource(
  context: SourcesContext,
  name: string,
  options: SyncOptions,
): Promise<void> {
  await withPool(context, runConnections, async (pool) => {
    if (options.inventory !== undefined) requireStore(await findSource(pool, name));
    await runAndReport(name, { pool, context, ...options });
  });
}

/** Only stores have Inventory reports. */
function requireStore({ name, location }: Source): void {
  if (location.kind === "s3") return;
  throw new Error(
    `Cannot run ${name} with --inventory: it mirrors the directory ${locationText(location)}, ` +
      "need a source that mirrors an S3 bucket",
  );
}

/** One connection writes, the other renews the lease. */
export const runConnections = 2;

interface ReportedRun extends SyncOptions {
  readonly pool: pg.Pool;
  readonly context: SourcesContext;
}

/** Runs the source, and prints its progress and what it did. Throws if the guard stopped it. */
export async function runAndReport(name: string, options: ReportedRun): Promise<void> {
  const { pool, context, dryRun = false, yes = false, json = false, inventory } = options;
  const { signal } = context;
  const settings = context.settings();
  const progress = json ? undefined : createProgress(process.stderr, { thing: "object" });
  progress?.say("waiting for the source");
  const startedAtMs = performance.now();
  const onProgress = progress === undefined ? eventWriter(name) : progressWriter(progress);
  let skipped: SkippedEntries | undefined;
  try {
    const end = await runSource(name, {
      pool,
      async openSource(source) {
        const dataFolders = dataFoldersOf(settings);
        const opened = await openSource(source, { dataFolders, inventory, signal });
        skipped = opened.skipped;
        return opened;
      },
      inventory,
      isDryRun: dryRun,
      isConfirmed: yes,
      leaseMs: settings.leaseMs,
      deletedDataDays: settings.deletedDataDays,
      waitsForLease: true,
      signal,
      onProgress,
    });
    progress?.stop();
    const tookMs = performance.now() - startedAtMs;
    const remarks = skipped === undefined ? [] : remarksOnSkipped(skipped);
    if (json) process.stdout.write(endEvent(name, end, tookMs));
    else {
      printText(summaryOf(name, end, { tookMs, remarks }));
      printText(`${leftOutText(end)}${skipIndexRemark(end)}`, process.stderr);
    }
    if (end.outcome === "stopped") throw new Error(`Stopped ${name}: ${end.reason}`);
  } finally {
    progress?.stop();
  }
}

function progressWriter(progress: Progress): (event: RunProgress) => void {
  let shown: RunProgress["phase"] | undefined;
  return (event) => {
    const { phase, done, total, sizeBytes } = event;
    if (phase !== shown) progress.begin({ ...stepOf[phase], total }, done);
    shown = phase;
    if (phase === "list") progress.update(done, sizeBytes);
    else progress.update(done);
  };
}

const stepOf = {
  list: { name: "writing", thing: "object" },
  prove: { name: "asking whether it is gone", thing: "upload" },
  delete: { name: "deleting", thing: "upload" },
} as const;

const eventPauseMs = 1000;

/** Prints the first event of each phase, then at most one a second. */
function eventWriter(name: string): (event: RunProgress) => void {
  let last: { phase: string; atMs: number } | undefined;
  return (event) => {
    const atMs = performance.now();
    const isNew = event.phase !== last?.phase;
    if (!isNew && last !== undefined && atMs - last.atMs < eventPauseMs) return;
    last = { phase: event.phase, atMs };
    process.stdout.write(`${JSON.stringify({ event: "progress", source: name, ...event })}\n`);
  };
}

function endEvent(name: string, end: RunEnd, tookMs: number): string {
  return `${JSON.stringify({ event: "end", source: name, ...end, tookMs: Math.round(tookMs) })}\n`;
}

function summaryOf(
  name: string,
  end: RunEnd,
  { tookMs, remarks }: { readonly tookMs: number; readonly remarks: readonly string[] },
): string {
  if (end.outcome === "stopped" && !end.isDryRun) return "";
  const { objects, sizeBytes, unchanged, leftOut, ...counts } = end.counts;
  const results = [
    `${formatCount(counts.new)} new`,
    `${formatCount(counts.changed)} changed`,
    `${formatCount(counts.gone)} gone`,
    `${formatCount(unchanged)} unchanged`,
    `${formatCount(leftOut)} left out`,
  ].join(", ");
  const did = end.isDryRun ? "would synchronise" : "synchronised";
  const what = `${formatThings(objects, "object")}, ${formatBytes(sizeBytes)}`;
  const summary = `${did} ${name} in ${formatDuration(tookMs)}: ${what}: ${results}`;
  return `${[summary, ...remarks].join("; ")}\n`;
}

function skipIndexRemark({ skipIndexError }: RunEnd): string {
  return skipIndexError === undefined ? "" : `${printable(skipIndexText("run", skipIndexError))}\n`;
}

function leftOutText({ counts, leftOutExamples }: RunEnd): string {
  const lines = leftOutExamples.map(
    ({ key, reason }) => `${printable(`left out ${key}: ${reason}`)}\n`,
  );
  const more = counts.leftOut - lines.length;
  return lines.join("") + (more > 0 ? `and ${formatCount(more)} more\n` : "");
}
