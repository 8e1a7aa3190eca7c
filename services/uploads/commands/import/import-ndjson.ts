/** `import ndjson`: a file with one JSON object per line, in the shapes of the contract. */

import { type FileHandle, open } from "node:fs/promises";
import { addAbortSignal, type Readable } from "node:stream";
import { printText } from "@stowage/process";
import { Command, Option } from "commander";
import type pg from "pg";
import { parseHostname } from "../../command-line/arguments.ts";
import { findBucketByHostname } from "../../command-line/find-bucket.ts";
import type { CommandContext } from "../../command-line/program.ts";
import { type Progress, showWriting } from "../../command-line/progress.ts";
import { type LineTotals, ndjsonRecords } from "../../import/ndjson/ndjson-records.ts";
import { ErrorReport, summaryOf } from "../../import/report.ts";
import { runImport } from "../../import/run-import.ts";
import { formatCount, formatThings } from "../../model/format.ts";
import { systemErrorText } from "../../model/system-error.ts";
import { withImport } from "./with-import.ts";

interface NdjsonCommandOptions {
  readonly bucket?: string;
  readonly skipBadLines?: true;
  readonly replace?: true;
  readonly yes?: true;
}

const help = `
A line is {"bucket": {…}}, {"integration": {…}}, {"folder": {…}}, {"upload": {…}} or
{"delete": {…}}, with the members of the contract; any other member is an error. A line belongs to
the last bucket line above it, or else to --bucket. Apart from that, lines may be in any order. A
later line with the same ID replaces an earlier one.

  bucket       needs bucketId, hostname, organisationId; may have primary
  integration  needs integrationId
  folder       needs path
  upload       needs path, filename, sizeBytes
  delete       needs uploadId, or path: deletes what is at that path and under it

Missing IDs are derived from the bucket, the path and the name, so they are the same in every
import. A missing slug is the filename. A missing createdAt is the time of the import that first
contains the upload, a missing updatedAt that of the last import that changes it. Missing folders
are created. Rows that the file lacks stay in the index. With --replace, uploads, integrations and
empty folders are deleted if the file has lines for their bucket, but none for them; rows of sources
stay. If that would delete over half of the uploads, of the folders with settings or of the
integrations of a bucket, for instance because the file is not complete, nothing is changed unless
--yes confirms it.

If a line is wrong, the first 20 wrong lines are listed with their numbers and reasons, nothing of
the file is imported, and the exit code is 1. With --skip-bad-lines, all other lines are imported,
except those that belong to a wrong bucket line, and the exit code is 0.`;

export function ndjsonCommand(context: CommandContext): Command {
  return new Command("ndjson")
    .description("Imports a file with one JSON object per line.")
    .argument("<file>", "the file; - is standard input")
    .option(
      "--bucket <host>",
      "bucket of the lines above the first bucket line, by host name",
      parseHostname,
    )
    .addOption(
      new Option(
        "--replace",
        "delete what the file does not have from its buckets, except rows of sources",
      ).conflicts("skipBadLines"),
    )
    .option("--yes", "let --replace delete over half of the uploads of a bucket")
    .option("--skip-bad-lines", "leave out wrong lines and import the rest")
    .addHelpText("after", help)
    .action((file: string, options: NdjsonCommandOptions) => importNdjson(file, options, context));
}

async function importNdjson(
  file: string,
  options: NdjsonCommandOptions,
  context: CommandContext,
): Promise<void> {
  const { input, bytesTotal } = await openInput(file, context.signal);
  try {
    await withImport(context, { thing: "line", bytesTotal }, (client, progress) =>
      importFrom(client, { file, input, progress, ...options }),
    );
  } finally {
    input.destroy();
  }
}

async function importFrom(
  client: pg.ClientBase,
  options: { file: string; input: Readable; progress: Progress } & NdjsonCommandOptions,
): Promise<void> {
  const { file, input, progress, bucket, skipBadLines: skipsWrongLines = false } = options;
  const errors = new ErrorReport();
  const totals: LineTotals = { lines: 0, orphans: 0 };
  const records = ndjsonRecords(
    input,
    {
      bucketId: bucket && (await findBucketId(client, bucket)),
      skipsWrongLines,
      errors,
      onProgress: ({ lines, bytes }) => progress.update(lines, bytes),
    },
    totals,
  );
  const result = await runImport(client, records, {
    uploadColumns: "all",
    mayChangeBuckets: true,
    ...(options.replace && { deletesUnstaged: { isConfirmed: options.yes === true } }),
    onWritten: showWriting(progress),
    beforeMerge() {
      if (errors.count > 0) progress.stop();
      printText(errors.text(), process.stderr);
      if (errors.count > 0 && !skipsWrongLines) {
        const wrong = `${formatCount(errors.count)} of ${formatThings(totals.lines, "line")}`;
        const are = errors.count === 1 ? "is" : "are";
        throw new Error(`Cannot import ${file}: ${wrong} ${are} wrong; nothing was kept`);
      }
      progress.say("writing to the index");
    },
  });
  progress.stop();
  const remarks = skipsWrongLines ? [skippedText(errors.count, totals.orphans)] : [];
  printText(`${summaryOf(result, remarks)}\n`);
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
    const input = handle.createReadStream({ signal });
    return { input, bytesTotal: stats.isFile() ? stats.size : undefined };
  } catch (error) {
    await handle?.close();
    throw new Error(`Cannot read ${file}: ${systemErrorText(error)}`);
  }
}

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
