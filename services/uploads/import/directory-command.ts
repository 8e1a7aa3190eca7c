/** `import dir`: the files of a directory, as uploads. */
import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import type pg from "pg";
import { collectPath, parseHostname, parseOrganisationId } from "./arguments.ts";
import { chooseBucket } from "./choose-bucket.ts";
import { FaultList } from "./fault-list.ts";
import { formatThings } from "./format.ts";
import { createProgress, type Progress } from "./progress.ts";
import type { BucketRecord, ImportRecord } from "./records.ts";
import { runImport } from "./run-import.ts";
import type { CommandContext } from "./settings.ts";
import { summaryOf } from "./summary.ts";
import { systemErrorText } from "./system-error-text.ts";
import { type WalkTotals, walkDirectory } from "./walk-directory.ts";
import { withDatabase } from "./with-database.ts";

interface DirectoryCommandOptions {
  readonly bucket: string;
  readonly organisation?: string;
  readonly primary?: true;
  readonly exclude?: readonly string[];
}

const help = `
Every file under the directory becomes an upload, every directory a folder, the directory itself the
root. A file tells its size, its times and, by the extension of its name, its type. IDs are made,
always the same for the same bucket, path and name: what is known is found again, and importing the
same directory twice changes nothing. Of a known upload only path, name, size, times and type are
replaced: tags, descriptions and all else stay. What is in the index and not in the directory stays.

createdAt is when the file was made or last changed, whichever is earlier; updatedAt when it was
last changed. Symbolic links, sockets and devices are left out, and so are the embedded database's
own folder and what --exclude names. What cannot be read, and names that are not UTF-8, are told
with the reason; the rest is imported, and the exit code is 1.

Example:
  stowage import dir ~/Pictures --bucket pictures.localhost --organisation acme --exclude .cache
`;

/** The command, for `main.ts`. */
export function directoryCommand(context: CommandContext): Command {
  return new Command("dir")
    .description("Imports the files of a directory.")
    .argument("<directory>", "the directory")
    .requiredOption("--bucket <host>", "bucket to import into, by host name", parseHostname)
    .option(
      "--organisation <id>",
      "organisation the bucket belongs to; a bucket that is not known is made",
      parseOrganisationId,
    )
    .option(
      "--primary",
      "make the bucket its organisation's primary one; the first bucket always is",
    )
    .option(
      "--exclude <path>",
      "leave out this file or directory under the directory; again for more",
      collectPath,
    )
    .addHelpText("after", help)
    .action((directory: string, options: DirectoryCommandOptions) =>
      importDirectory(directory, options, context),
    );
}

async function importDirectory(
  directory: string,
  options: DirectoryCommandOptions,
  context: CommandContext,
): Promise<void> {
  const { signal } = context;
  const settings = context.settings();
  const root = await requireReadable(directory);
  const databaseFolder =
    settings.databaseUrl === undefined ? join(settings.dataDir.path, "postgres") : undefined;
  const progress = createProgress({
    output: process.stderr,
    thing: "file",
    bytesTotal: undefined,
  });
  try {
    await withDatabase(settings, signal, (client) =>
      importFrom(client, { directory, root, databaseFolder, progress, signal, ...options }),
    );
  } finally {
    progress.stop();
  }
}

interface ImportFrom extends DirectoryCommandOptions {
  readonly directory: string;
  readonly root: string;
  readonly databaseFolder: string | undefined;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

async function importFrom(client: pg.ClientBase, options: ImportFrom): Promise<void> {
  const { directory, root, progress, signal } = options;
  const { bucketId, record } = await chooseBucket(client, directory, options);
  const faults = new FaultList();
  const totals: WalkTotals = { files: 0, symbolicLinks: 0, specialFiles: 0, leftOut: 0 };
  const found = walkDirectory(
    {
      root,
      bucketId,
      leftOut: await leftOutPaths(options),
      faults,
      onProgress(soFar) {
        signal.throwIfAborted();
        progress.update(soFar.files);
      },
    },
    totals,
  );
  const result = await runImport(client, bucketFirst(record, found), {
    replacement: "what a directory tells",
    beforeMerge: () => progress.say("writing to the index"),
  });
  progress.stop();
  process.stdout.write(`${summaryOf(result, remarksOn(totals, faults))}\n`);
  process.stderr.write(faults.report());
  if (faults.count > 0) {
    const entries = formatThings(faults.count, "entry", "entries");
    throw new Error(`Cannot import all of ${directory}: ${entries} left out`);
  }
}

async function leftOutPaths(options: ImportFrom): Promise<ReadonlySet<string>> {
  const { root, databaseFolder, exclude = [] } = options;
  const excluded = exclude.map((path) => join(root, path));
  return new Set(databaseFolder ? [...excluded, await realpath(databaseFolder)] : excluded);
}

async function* bucketFirst(
  bucket: BucketRecord | undefined,
  records: AsyncIterable<readonly ImportRecord[]>,
): AsyncGenerator<readonly ImportRecord[]> {
  if (bucket !== undefined) yield [bucket];
  yield* records;
}

async function requireReadable(directory: string): Promise<string> {
  try {
    const root = await realpath(directory);
    await readdir(root);
    return root;
  } catch (error) {
    throw new Error(`Cannot import ${directory}: ${systemErrorText(error)}`);
  }
}

function remarksOn(totals: WalkTotals, faults: FaultList): string[] {
  const remarks = [];
  if (totals.symbolicLinks > 0) {
    remarks.push(`${formatThings(totals.symbolicLinks, "symbolic link")} not followed`);
  }
  if (totals.specialFiles > 0) {
    remarks.push(
      `${formatThings(totals.specialFiles, "socket or device", "sockets and devices")} left out`,
    );
  }
  if (totals.leftOut > 0) {
    remarks.push(
      `${formatThings(totals.leftOut, "file or directory", "files or directories")} left out`,
    );
  }
  if (faults.count > 0) {
    remarks.push(`${formatThings(faults.count, "entry", "entries")} could not be imported`);
  }
  return remarks;
}
