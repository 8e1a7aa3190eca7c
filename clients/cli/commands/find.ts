/** `stowage find`: finds folders and files by what a person types. */
import { create } from "@bufbuild/protobuf";
import { parseQuery, type QueryPart } from "@stowage/api/query/parse-query";
import { filterNeeds } from "@stowage/api/query/read-filter";
import {
  FindFoldersRequestSchema,
  FoldersService,
} from "@stowage/api/stowage/v1/folders_service_pb";
import {
  BucketUploadsService,
  type ListUploadsRequest,
  ListUploadsRequestSchema,
} from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { Command } from "commander";
import type { ConnectionOptions } from "../access/choose-access.ts";
import { addConnectionOptions, callError, connect, connectionHelp } from "../access/connection.ts";
import { bucketOption, bucketRefOf } from "../arguments.ts";
import { WrongUsageError } from "../command-line.ts";
import { formatCount, namesHelp } from "../output/format.ts";
import { listLines } from "../output/list-lines.ts";
import { addPageOptions, type PageOptions, printPages, timeShown } from "./print-pages.ts";

interface FindOptions extends ConnectionOptions, PageOptions {
  readonly bucket?: string;
}

const filterRows = Object.entries(filterNeeds).map(
  ([name, need]) => `  ${name}:`.padEnd(14) + need,
);

const help = `
Folders come first, then files. All words and filters must match:

  report      this text, in the path, filename or slug; case is ignored
  'a report'  this text with its spaces
  *.md        with * or ?, a pattern for the whole name; with a / in it, for the whole path
  -report     leaves out what this word finds; also before a filter
${filterRows.join("\n")}

A filter may have several values, with commas between them: any of them may match. Folders are
found by words and in: alone. Write -- before words that begin with -, and quote < and > for the
shell. An argument that has double quotes in it may be a whole query.
${namesHelp}${connectionHelp}
Examples:
  stowage find report 2026
  stowage find 'annual report' type:document 'size:>1MB'
  stowage find --sort size_bytes -- report -draft -in:/old
`;

/** The command, for `main.ts`. */
export function findCommand(): Command {
  const command = new Command("find")
    .description("Finds folders and files by words and filters.")
    .argument("<words...>", "words and filters, as explained below")
    .addOption(bucketOption());
  return addConnectionOptions(addPageOptions(command)).addHelpText("after", help).action(find);
}

async function find(words: readonly string[], options: FindOptions): Promise<void> {
  const query = queryOf(words);
  const parts = parseQuery(query, BigInt(Date.now()) * 1000n);
  if (parts.length === 0)
    throw new WrongUsageError("Cannot find files: the query is empty; need a word or a filter");
  const folders = canFindFolders(parts) ? await printFolders(query, options) : undefined;
  const files = await printFiles(query, options);
  if (!options.json) process.stderr.write(`${totalsText(folders, files)}\n`);
}

/** How many were found, printed or not. */
export interface Found {
  readonly count: number | bigint;
  /** Whether there are more than those that were counted. */
  readonly hasMore: boolean;
}

/** `3 folders, 1,204 files`, as the page says it. */
export function totalsText(folders: Found | undefined, files: Found): string {
  const named = [
    ...(folders !== undefined && folders.count > 0 ? [countText(folders, "folder")] : []),
    countText(files, "file"),
  ];
  return named.length === 1 && Number(files.count) === 0 ? "nothing found" : named.join(", ");
}

function countText({ count, hasMore }: Found, thing: "file" | "folder"): string {
  return hasMore ? `${count.toLocaleString("en-GB")}+ ${thing}s` : formatCount(count, thing);
}

/** The service does not count folders: those that were printed count. */
async function printFolders(query: string, options: FindOptions): Promise<Found> {
  const client = await connect(FoldersService, options);
  const request = create(FindFoldersRequestSchema, { ...bucketOf(options), query });
  const lines = listLines({ json: options.json, time: timeShown(options) });
  let hasMore = false;
  const count = await printPages("folder", options, async (page) => {
    const answer = await client.findFolders({ ...request, ...page }).catch((error: unknown) => {
      throw callError("Cannot find folders", error);
    });
    hasMore = answer.nextCursor !== "";
    return { lines: answer.folders.map(lines.ofFolder), nextCursor: answer.nextCursor };
  });
  return { count, hasMore };
}

async function printFiles(query: string, options: FindOptions): Promise<Found> {
  const client = await connect(BucketUploadsService, options);
  const { sort, order } = options;
  const request = create(ListUploadsRequestSchema, {
    ...bucketOf(options),
    query,
    ...(sort !== undefined && { sortBy: sort }),
    ...(order !== undefined && { sortOrder: order }),
  });
  const lines = listLines({ json: options.json, time: timeShown(options) });
  const list = (asked: Partial<ListUploadsRequest>) =>
    client.listUploads({ ...request, ...asked }).catch((error: unknown) => {
      throw callError("Cannot find files", error);
    });
  const count = await printPages("file", options, async (page) => {
    const { uploads, nextCursor, isPartial } = await list(page);
    return { lines: uploads.map(lines.ofFile), nextCursor, isPartial };
  });
  if (count === 0 || options.json) return { count, hasMore: false };
  // Counting may take seconds, so it follows what is printed.
  const { matchCount = count, matchCountIsExact } = await list({ pageSize: 1, includeCount: true });
  return { count: matchCount, hasMore: matchCountIsExact !== true };
}

function bucketOf({ bucket }: FindOptions) {
  return bucket === undefined ? {} : { bucketRef: bucketRefOf(bucket) };
}

/** The service refuses other filters, and queries without a word. */
export function canFindFolders(parts: readonly QueryPart[]): boolean {
  const isForFolders = parts.every(
    (part) => part.kind === "word" || (part.kind === "filter" && part.name === "in"),
  );
  return isForFolders && parts.some((part) => part.kind === "word" && !part.isExcluded);
}

const filterStart = new RegExp(`^-?(?:(?:${Object.keys(filterNeeds).join("|")}):)?`, "i");

/** One query. The shell has removed the quotes around an argument with white space. */
export function queryOf(words: readonly string[]): string {
  return words
    .map((word) => {
      if (!/\s/.test(word) || word.includes('"')) return word;
      const [start = ""] = filterStart.exec(word) ?? [];
      return `${start}"${word.slice(start.length)}"`;
    })
    .join(" ");
}
