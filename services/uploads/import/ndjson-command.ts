/** `import ndjson`: a file of one JSON object a line, in the contract's own shapes. */
import { type FileHandle, open } from "node:fs/promises";
import { addAbortSignal, type Readable } from "node:stream";
import { Command } from "commander";
import type pg from "pg";
import { parseHostname } from "./arguments.ts";
import { FaultList } from "./fault-list.ts";
import { findBucketByHostname } from "./find-bucket-by-hostname.ts";
import { formatCount, formatThings } from "./format.ts";
import { type LineTotals, ndjsonRecords } from "./ndjson-records.ts";
import { createProgress, type Progress } from "./progress.ts";
import { runImport } from "./run-import.ts";
import type { CommandContext } from "./settings.ts";
import { summaryOf } from "./summary.ts";
import { systemErrorText } from "./system-error-text.ts";
import { withDatabase } from "./with-database.ts";

interface NdjsonCommandOptions {
  readonly bucket?: string;
  readonly skipBadLines?: true;
}

const help = `
A line is {"bucket": {…}}, {"integration": {…}}, {"folder": {…}} or {"upload": {…}}, with the
members of the contract; a member that the contract does not have is wrong. It belongs to the last
bucket line above it, or to --bucket. Otherwise the order is free, and later lines replace earlier
ones.

  bucket       needs bucketId, hostname, organisationId; may have primary
  integration  needs integrationId
  folder       needs path
  upload       needs path, filename, sizeBytes

Left out: IDs are made, always the same for the same bucket, path and name; slug is the filename;
createdAt is the time of the import that first brings the upload, updatedAt of the last that changes
it. Folders that are only implied are made. What is in the index and not in the file stays.

When a line is wrong, each wrong line is told with its number and reason, and nothing of the file is
kept; the exit code is 1. With --skip-bad-lines all other lines are kept, and the exit code is 0; of
the lines that follow a wrong bucket line none is.
`;

/** The command, for `main.ts`. */
export function ndjsonCommand(context: CommandContext): Command {
  return new Command("ndjson")
    .description("Imports a file of one JSON object a line.")
    .argument("<file>", "the file; - is standard input")
    .option(
      "--bucket <host>",
      "bucket of the lines that no bucket line is above, by host name",
      parseHostname,
    )
    .option("--skip-bad-lines", "leave out lines that are wrong and keep the rest")
    .addHelpText("after", help)
    .action((file: string, options: NdjsonCommandOptions) => importNdjson(file, options, context));
}

async function importNdjson(
  file: string,
  options: NdjsonCommandOptions,
  context: CommandContext,
): Promise<void> {
  const { signal } = context;
  const settings = context.settings();
  const { input, bytesTotal } = await openInput(file, signal);
  const progress = createProgress({ output: process.stderr, thing: "line", bytesTotal });
  try {
    await withDatabase(settings, signal, (client) =>
      importFrom(client, { file, input, progress, ...options }),
    );
  } finally {
    progress.stop();
    input.destroy();
  }
}

async function importFrom(
  client: pg.ClientBase,
  options: { file: string; input: Readable; progress: Progress } & NdjsonCommandOptions,
): Promise<void> {
  const { file, input, progress, bucket, skipBadLines: skipsWrongLines = false } = options;
  const faults = new FaultList();
  const totals: LineTotals = { lines: 0, orphans: 0 };
  const records = ndjsonRecords(
    input,
    {
      bucketId: bucket && (await findBucketId(client, bucket)),
      skipsWrongLines,
      faults,
      onProgress: ({ lines, bytes }) => progress.update(lines, bytes),
    },
    totals,
  );
  const result = await runImport(client, records, {
    replacement: "all",
    beforeMerge() {
      if (faults.count > 0) progress.stop();
      process.stderr.write(faults.report());
      if (faults.count > 0 && !skipsWrongLines) {
        const wrong = `${formatCount(faults.count)} of ${formatThings(totals.lines, "line")}`;
        const are = faults.count === 1 ? "is" : "are";
        throw new Error(`Cannot import ${file}: ${wrong} ${are} wrong; nothing was kept`);
      }
      progress.say("writing to the index");
    },
  });
  progress.stop();
  const remarks = skipsWrongLines ? [skippedText(faults.count, totals.orphans)] : [];
  process.stdout.write(`${summaryOf(result, remarks)}\n`);
}

async function openInput(
  file: string,
  signal: AbortSignal,
): Promise<{ input: Readable; bytesTotal: number | undefined }> {
  if (file === "-") {
    return { input: addAbortSignal(signal, process.stdin), bytesTotal: undefined };
  }
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new Error("it is a directory; need a file, or `import dir`");
    const input = handle.createReadStream({ highWaterMark: chunkBytes, signal });
    return { input, bytesTotal: stats.isFile() ? stats.size : undefined };
  } catch (error) {
    await handle?.close();
    throw new Error(`Cannot read ${file}: ${systemErrorText(error)}`);
  }
}

const chunkBytes = 256 * 1024;

async function findBucketId(client: pg.ClientBase, hostname: string): Promise<string> {
  const bucket = await findBucketByHostname(client, hostname);
  if (bucket !== undefined) return bucket.bucketId;
  throw new Error(
    `Cannot import into bucket ${hostname}: there is no bucket with that host name; need one ` +
      "that is known, or a bucket line at the top of the file instead of --bucket",
  );
}

function skippedText(wrong: number, orphans: number): string {
  const text = wrong === 0 ? "no line skipped" : `${formatThings(wrong, "wrong line")} skipped`;
  return orphans === 0 ? text : `${text}, and ${formatThings(orphans, "line")} of their buckets`;
}
