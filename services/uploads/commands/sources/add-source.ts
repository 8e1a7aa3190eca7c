/** `sources add`: a place that a folder of a bucket will mirror. */
import { printable, printText } from "@stowage/process";
import { Command, InvalidArgumentError } from "commander";
import { parsePath } from "../../command-line/arguments.ts";
import {
  addBucketOptions,
  type BucketOptions,
  findOrMakeBucket,
} from "../../command-line/bucket-options.ts";
import { withPool } from "../../command-line/open-database.ts";
import {
  addStoreContentOptions,
  addStoreOptions,
  type StoreContentOptions,
  type StoreOptions,
} from "../../command-line/store-options.ts";
import { formatDuration } from "../../model/format.ts";
import { onOneConnection } from "../../postgres/one-connection.ts";
import { createSource } from "../../sources/create-source.ts";
import { findDirectory } from "../../sources/directory/list-in-process.ts";
import { dataFoldersOf } from "../../sources/open-source.ts";
import { parseS3Folder } from "../../sources/s3/store-location.ts";
import { findSource, type Location, readSources, type Source } from "../../sources/source.ts";
import { collectPath } from "../import/import-directory.ts";
import { parseDuration, type SourcesContext } from "./context.ts";
import { runAndReport, runConnections } from "./sync-source.ts";

interface AddOptions extends BucketOptions {
  readonly name: string;
  readonly mount: string;
  readonly every?: number;
  readonly sync?: true;
}

export function addCommand(context: SourcesContext): Command {
  return new Command("add")
    .description("Adds a source: a place that a folder of a bucket mirrors from then on.")
    .addCommand(addS3(context))
    .addCommand(addDirectory(context));
}

function addS3(context: SourcesContext): Command {
  return withCommonOptions(
    addStoreContentOptions(addStoreOptions(new Command("s3")))
      .description("Adds a bucket of an S3-compatible store, or the keys under a prefix.")
      .argument("<address>", "s3://BUCKET or s3://BUCKET/PREFIX", parseS3Folder),
  )
    .addHelpText("after", s3Help)
    .action(
      (
        { bucket, prefix }: { bucket: string; prefix: string },
        options: AddOptions & StoreOptions & StoreContentOptions,
      ) => {
        const { endpoint, region, pathStyle, profile, tags, versions } = options;
        const { publicEndpoint, content } = options;
        const listed = { endpoint, region, pathStyle, profile, tags, versions };
        const kept = { ...listed, publicEndpoint, content };
        return addSource(context, { kind: "s3", bucket, prefix, ...kept }, options);
      },
    );
}

const s3Help = `
Credentials are found by the AWS default chain or in the named profile whenever the source is
listed. None is stored.

Example:
  stowage sources add s3 s3://acme-photos/2026 --bucket photos.example.com --organisation acme \\
    --name photos --every 15m`;

interface DirectoryOptions {
  readonly exclude?: readonly string[];
  readonly watch?: true;
}

function addDirectory(context: SourcesContext): Command {
  return withCommonOptions(
    new Command("dir")
      .description("Adds a directory of this machine.")
      .argument("<directory>", "the directory")
      .option(
        "--exclude <path>",
        "leave out this file or directory; a path relative to the directory; may be repeated",
        collectPath,
      )
      .option("--watch", "watch it, so that changes show within seconds; needs --every"),
  )
    .addHelpText("after", directoryHelp)
    .action(async (given: string, options: AddOptions & DirectoryOptions) => {
      const { exclude = [], watch, every } = options;
      // The schedule finds what watching misses.
      if (watch && every === undefined) throw new Error("Cannot use --watch: need --every too");
      const dataFolders = dataFoldersOf(context.settings());
      const place = { directory: given, exclude, dataFolders };
      const directory = await findDirectory(place, context.signal);
      await addSource(context, { kind: "directory", directory, exclude, watch }, options);
    });
}

const directoryHelp = `
Symbolic links are not followed. The data folder (DATA_DIR) and /var/lib/stowage are left out, since
they have keys and passwords. The process that runs the source reads the directory: it must be on
the same machine, or have the directory at the same path.

Example:
  stowage sources add dir ~/Pictures --bucket pictures.localhost --organisation acme \\
    --name pictures --every 1m`;

function withCommonOptions(command: Command): Command {
  return addBucketOptions(command)
    .requiredOption("--name <name>", "name of the source, for the other commands", parseName)
    .option("--mount <folder>", "folder of the bucket that mirrors the place", parsePath, "/")
    .option("--every <duration>", "how often `stowage serve sync` runs it: 30s, 15m", parseDuration)
    .option("--sync", "run it at once, as `stowage sources sync` does");
}

async function addSource(
  context: SourcesContext,
  location: Location,
  options: AddOptions,
): Promise<void> {
  const { name, mount: mountPath, every: everyMs } = options;
  await withPool(context, runConnections, async (pool) => {
    const [before] = await readSources(pool, name);
    await onOneConnection(pool, context.signal, async (client) => {
      const { bucketId, record } = await findOrMakeBucket(client, options);
      await createSource(client, { bucketId, bucket: record, name, location, mountPath, everyMs });
    });
    const source = await findSource(pool, name);
    const did = before === undefined ? `added ${name}` : changedText(before, source);
    const next = options.sync ? "" : `; ${nextText(source)}`;
    printText(`${did}${next}\n`);
    if (options.sync) await runAndReport(name, { pool, context });
  });
}

/** Names what the source no longer has: adding it again replaces all of its options. */
function changedText(before: Source, { name, everyMs, location }: Source): string {
  const lost = optionsOf(before.location).filter((each) => !optionsOf(location).includes(each));
  const parts = [];
  if (before.everyMs !== undefined && everyMs === undefined) {
    parts.push(`no longer on a schedule (was every ${formatDuration(before.everyMs)})`);
  }
  if (lost.length > 0) parts.push(`no longer with ${lost.join(", ")}`);
  return parts.length === 0 ? `changed ${name}` : `changed ${name}: ${parts.join("; ")}`;
}

/** The options that a place was added with, such as `--path-style`, and each `--exclude PATH`. */
function optionsOf(location: Location): string[] {
  return Object.entries({ ...location, kind: "", bucket: "", prefix: "", directory: "" })
    .filter(([, value]) => value)
    .flatMap(([name, value]) => {
      const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      return Array.isArray(value) ? value.map((path) => printable(`${option} ${path}`)) : [option];
    });
}

// A source that there was already may be paused, also by a removal that was interrupted.
function nextText({ name, everyMs, isPaused }: Source): string {
  if (isPaused) return `it is paused, to go on: stowage sources resume ${name}`;
  if (everyMs === undefined) return `run it with: stowage sources sync ${name}`;
  return "`stowage serve sync` runs it on its schedule, for the first time now";
}

function parseName(text: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(text)) return text;
  throw new InvalidArgumentError(
    "Need 1 to 64 letters, digits, dots, dashes or underscores; the first a letter or digit.",
  );
}
