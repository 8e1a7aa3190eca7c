/** `sources list` and `sources runs`. */
import { printable, printText, tableText } from "@stowage/process";
import { Command } from "commander";
import type pg from "pg";
import { withDatabase } from "../../command-line/open-database.ts";
import { completenessOf } from "../../model/completeness.ts";
import { formatCount, formatDuration, formatThings, formatTime } from "../../model/format.ts";
import { query } from "../../postgres/named-parameters.ts";
import {
  findSource,
  locationText,
  messageOf,
  progressOf,
  readSources,
  type Source,
  stateOf,
} from "../../sources/source.ts";
import type { SourcesContext } from "./context.ts";

export function listCommand(context: SourcesContext): Command {
  return new Command("list")
    .description("Lists the sources: state, last complete run, next run, and what needs attention.")
    .option("--json", "print a JSON array")
    .action(({ json }: { json?: true }) =>
      withDatabase(context, async (client) => {
        const sources = await readSources(client);
        if (json) printJson(sources.map(jsonOf));
        else if (sources.length > 0) printText(listText(sources));
        else printText("no sources; add one with: stowage sources add\n", process.stderr);
      }),
    );
}

function jsonOf(source: Source) {
  const { name, hostname, mountPath, location, everyMs, nextRunAt, lastCompleteAt } = source;
  return {
    name,
    state: stateOf(source),
    completeness: completenessOf(source),
    message: messageOf(source),
    bucket: hostname,
    path: mountPath,
    location,
    everyMs: everyMs ?? null,
    failures: source.failures,
    lastCompleteAt: lastCompleteAt ?? null,
    nextRunAt: source.isPaused ? null : (nextRunAt ?? null),
    runBy: source.runBy ?? null,
    objectsSoFar: source.objectsSoFar ?? null,
    progress: progressOf(source) ?? null,
    waitingDeletions: source.waitingDeletions,
    lookedAgain: source.lookedAgain,
    differed: source.differed,
  };
}

const headings = ["NAME", "STATE", "INDEX", "COMPLETE AS OF", "FOLDER", "MIRRORS", "NEXT RUN"];

function listText(sources: readonly Source[]): string {
  const lines = sources.map((source) => [
    source.name,
    stateOf(source),
    completenessOf(source),
    formatTime(source.lastCompleteAt),
    `${source.hostname}${source.mountPath}`,
    locationText(source.location),
    nextText(source),
  ]);
  const remarks = sources.flatMap((source) => remarkOn(source));
  return tableText(headings, lines) + (remarks.length === 0 ? "" : `\n${remarks.join("")}`);
}

function nextText({ name, isPaused, everyMs, nextRunAt, runBy }: Source): string {
  if (runBy !== undefined) return "now";
  if (isPaused) return `after: stowage sources resume ${name}`;
  if (everyMs === undefined || nextRunAt === undefined) return "by hand";
  const inMs = nextRunAt.getTime() - Date.now();
  return inMs <= 0 ? "due" : `in ${formatDuration(inMs)}`;
}

function remarkOn(source: Source): string[] {
  const { name, failures, runBy, objectsSoFar = 0 } = source;
  const state = stateOf(source);
  const remarks: string[] = [];
  if (state === "running") {
    const progress = progressOf(source);
    const share = progress === undefined ? "" : `, ${Math.floor(progress * 100)} %`;
    const objects = formatThings(objectsSoFar, "object");
    remarks.push(`${name}: ${objects} so far${share}, run by ${runBy}`);
  }
  const message = messageOf(source) || meaningOf(source);
  if (message !== "") {
    const hasEnded = state === "failed" || state === "stopped";
    const times = failures > 1 ? `, ${formatCount(failures)} times in a row` : "";
    remarks.push(`${name}${hasEnded ? ` ${state}${times}` : ""}: ${printable(message)}`);
  }
  return remarks.map((remark) => `${remark}\n`);
}

/** What to do about an index that is not complete, and of which the last run said nothing. */
function meaningOf(source: Source): string {
  const { name, runBy } = source;
  const completeness = completenessOf(source);
  if (completeness === "incomplete") {
    if (runBy !== undefined) return "files are missing in the index until this first run ends";
    return `nothing is sure to be in the index; run it: stowage sources sync ${name}`;
  }
  if (completeness !== "old") return "";
  return "no run was complete for three times its interval; is `stowage serve sync` running?";
}

export function runsCommand(context: SourcesContext): Command {
  return new Command("runs")
    .description("Lists the runs of a source, newest first: counts, duration, reason for a stop.")
    .argument("<name>", "the source")
    .option("--json", "print a JSON array")
    .action((name: string, { json }: { json?: true }) =>
      withDatabase(context, async (client) => {
        const source = await findSource(client, name);
        const runs = await readRuns(client, source);
        if (json) printJson(runs);
        else if (runs.length > 0) printText(runsText(runs, source));
        else
          printText(
            `no runs of ${name}; run it with: stowage sources sync ${name}\n`,
            process.stderr,
          );
      }),
    );
}

interface RunLine {
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly phase: string;
  readonly outcome: string | null;
  readonly reason: string;
  readonly isDryRun: boolean;
  readonly objects: number;
  readonly new: number;
  readonly changed: number;
  readonly gone: number;
  readonly unchanged: number;
  readonly leftOut: number;
  readonly leftOutExamples: readonly { readonly key: string; readonly reason: string }[];
}

async function readRuns(client: pg.ClientBase, source: Source): Promise<RunLine[]> {
  const { rows } = await query<RunLine>(
    client,
    `select started_at as "startedAt", ended_at as "endedAt", phase, outcome, reason,
       is_dry_run as "isDryRun", objects::float8, new::float8, changed::float8,
       gone::float8, unchanged::float8, left_out::float8 as "leftOut",
       left_out_examples as "leftOutExamples"
     from uploads.source_runs where bucket_id = :bucketId and source_id = :sourceId
     order by started_at desc`,
    { ...source },
  );
  return rows;
}

const runHeadings = [
  "STARTED",
  "TOOK",
  "RESULT",
  "LISTED",
  "NEW",
  "CHANGED",
  "GONE",
  "UNCHANGED",
  "LEFT OUT",
  "REASON",
];

function runsText(runs: readonly RunLine[], source: Source): string {
  const lines = runs.map((run) => [
    formatTime(run.startedAt),
    run.endedAt === null ? "-" : formatDuration(run.endedAt.getTime() - run.startedAt.getTime()),
    resultText(run, source),
    ...[run.objects, run.new, run.changed, run.gone, run.unchanged, run.leftOut].map(formatCount),
    run.reason,
  ]);
  const [last] = runs;
  const examples = (last?.leftOutExamples ?? []).map(
    ({ key, reason }) => `  ${printable(`${key}: ${reason}`)}\n`,
  );
  const more = (last?.leftOut ?? 0) - examples.length;
  const rest = more > 0 ? `  and ${formatCount(more)} more\n` : "";
  const leftOut = examples.length === 0 ? "" : `\nleft out by the last run:\n${examples.join("")}`;
  return tableText(runHeadings, lines) + leftOut + rest;
}

function resultText(run: RunLine, { runBy }: Source): string {
  const dry = run.isDryRun ? " (dry run)" : "";
  if (run.endedAt !== null) return `${run.outcome}${dry}`;
  const phase = run.phase === "list" ? "listing" : "deleting";
  return runBy !== undefined ? `${phase}${dry}` : `interrupted while ${phase}${dry}`;
}

function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
