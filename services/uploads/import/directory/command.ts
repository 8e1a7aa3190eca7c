/** `import dir`: the files of a directory, as uploads. */
import { readdir, realpath } from "node:fs/promises";
import { join, posix } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import type pg from "pg";
import { type CommandContext, parseHostname, rejectArgument, withDatabase } from "../command.ts";
import { createProgress, type Progress } from "../progress.ts";
import { checkOrganisationId } from "../records/check-record.ts";
import type { BucketRecord, ImportRecord } from "../records/record.ts";
import { ErrorReport, formatThings, summaryOf, systemErrorText } from "../report.ts";
import { runImport } from "../run-import.ts";
import { chooseBucket } from "./choose-bucket.ts";
import { type WalkTotals, walkDirectory } from "./walk-directory.ts";

interface DirectoryCommandOptions {
  readonly bucket: string;
  readonly organisation?: string;
  readonly primary?: true;
  readonly exclude?: readonly string[];
}

const help = `
Every file under the directory becomes an upload, and every directory a folder; the directory itself
is the root. The file gives the size, the times and, by its extension, the type. IDs are made from
the bucket, the path and the name, so importing the same directory twice changes nothing. In an
upload that the index already has, only path, name, size, times and type are replaced: tags,
descriptions and all other fields stay. The import deletes nothing from the index.

createdAt is when the file was made or last changed, whichever is earlier; updatedAt is when it was
last changed. Symbolic links, sockets, devices, the folder of the embedded database and the paths
given to --exclude are left out. Entries that cannot be read and names that are not UTF-8 are listed
with the reason; everything else is imported, and the exit code is 1.

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
      "organisation of the bucket; creates the bucket if it does not exist",
      parseOrganisationId,
    )
    .option(
      "--primary",
      "make the bucket its organisation's primary one; the first bucket always is",
    )
    .option(
      "--exclude <path>",
      "leave out this file or directory; a path relative to the directory; may be repeated",
      collectPath,
    )
    .addHelpText("after", help)
    .action((directory: string, options: DirectoryCommandOptions) =>
      importDirectory(directory, options, context),
    );
}

function parseOrganisationId(text: string): string {
  return checkOrganisationId(text, "the identifier", rejectArgument);
}

/** Adds a path under the directory, in normal form, to the earlier ones. */
function collectPath(text: string, earlier: readonly string[] = []): readonly string[] {
  const path = posix.normalize(text).replace(/\/$/, "");
  if (path === "." || posix.isAbsolute(path) || path.split("/").includes("..")) {
    throw new InvalidArgumentError("Need a path relative to the directory, and under it.");
  }
  return [...earlier, path];
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
  const progress = createProgress({ output: process.stderr, thing: "file", bytesTotal: undefined });
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
  const errors = new ErrorReport();
  const totals: WalkTotals = { files: 0, symbolicLinks: 0, specialFiles: 0, leftOut: 0 };
  const found = walkDirectory(
    {
      root,
      bucketId,
      leftOut: await leftOutPaths(options),
      errors,
      onProgress(soFar) {
        signal.throwIfAborted();
        progress.update(soFar.files);
      },
    },
    totals,
  );
  const result = await runImport(client, bucketFirst(record, found), {
    uploadColumns: "of files",
    mayChangeBuckets: false,
    beforeMerge: () => progress.say("writing to the index"),
  });
  progress.stop();
  process.stdout.write(`${summaryOf(result, remarksOn(totals, errors))}\n`);
  process.stderr.write(errors.text());
  if (errors.count > 0) {
    const entries = formatThings(errors.count, "entry", "entries");
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

function remarksOn(totals: WalkTotals, errors: ErrorReport): string[] {
  const { symbolicLinks, specialFiles, leftOut } = totals;
  const remarks: [count: number, text: string][] = [
    [symbolicLinks, `${formatThings(symbolicLinks, "symbolic link")} not followed`],
    [
      specialFiles,
      `${formatThings(specialFiles, "socket or device", "sockets and devices")} left out`,
    ],
    [leftOut, `${formatThings(leftOut, "file or directory", "files or directories")} left out`],
    [errors.count, `${formatThings(errors.count, "entry", "entries")} could not be imported`],
  ];
  return remarks.filter(([count]) => count > 0).map(([, text]) => text);
}
