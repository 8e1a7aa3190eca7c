/** `stowage ls`: lists what is in a folder, or the files of a bucket. */
import { create } from "@bufbuild/protobuf";
import {
  BucketUploadsService,
  type ListUploadsRequest,
  ListUploadsRequestSchema,
  TagsFilterSchema,
} from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { printable, printText } from "@stowage/process/usage";
import { Command } from "commander";
import type { ConnectionOptions } from "../access/choose-access.ts";
import { addConnectionOptions, callError, connect, connectionHelp } from "../access/connection.ts";
import { readFolders } from "../access/read-folders.ts";
import { bucketOption, bucketRefOf, collectText, parseTime } from "../arguments.ts";
import { write } from "../command-line.ts";
import { namesHelp } from "../output/format.ts";
import { listLines } from "../output/list-lines.ts";
import { addPageOptions, type PageOptions, printPages, sayMore, timeShown } from "./print-pages.ts";

interface ListOptions extends ConnectionOptions, PageOptions {
  readonly bucket?: string;
  readonly recursive?: true;
  readonly query?: string;
  readonly search?: string;
  readonly tag?: string[];
  readonly anyTag?: string[];
  readonly withoutTag?: string[];
  readonly from?: ListUploadsRequest["dateFrom"];
  readonly to?: ListUploadsRequest["dateTo"];
}

const help = `
With a path, the command lists the folders in that folder, then the files. A folder is shown with
the size of all files under it. With --recursive or a filter, only files are listed: with
--recursive also those in the folders under the path. Without a path, these are the files of the
whole bucket. A query is what stowage find takes, whose help explains it. A search text matches
anywhere in the filename or slug, ignoring case; with * or ? in it, it must match the whole name. A
time is RFC 3339 (2026-11-21T12:00:00Z), or a date, which is the whole UTC day. Times are shown in
UTC: the time of creation, or of the last change if the list is sorted by that.
${namesHelp}${connectionHelp}
Examples:
  stowage ls /photos
  stowage ls --query 'type:document size:>1MB' --sort size_bytes
  stowage ls /photos --recursive --tag holiday --from 2026-07-01 --to 2026-08-31
  stowage ls --all --json | jq -r .filename
`;

/** The command, for `main.ts`. */
export function listUploadsCommand(): Command {
  const command = new Command("ls")
    .description("Lists a folder, or the files of a bucket: newest first unless sorted otherwise.")
    .argument("[path]", "folder (default: the files of the whole bucket)")
    .addOption(bucketOption())
    .option("--recursive", "list the files in the folder and in all folders under it")
    .option("--query <query>", "only files that this query finds; see stowage find --help")
    .option("--search <text>", "only names that contain this text, or match it as a pattern")
    .option("--tag <tag>", "only files with this tag; repeated: with all of them", collectText)
    .option("--any-tag <tag>", "only files with this tag; repeated: with any", collectText)
    .option(
      "--without-tag <tag>",
      "no files with this tag; repeated: with any of them",
      collectText,
    )
    .option("--from <time>", "only files created at this time or later", parseTime("first"))
    .option("--to <time>", "only files created at this time or earlier", parseTime("last"));
  return addConnectionOptions(addPageOptions(command)).addHelpText("after", help).action(list);
}

async function list(path: string | undefined, options: ListOptions): Promise<void> {
  const isFolder = path !== undefined && !options.recursive && !isFiltered(options);
  const folderCount = isFolder ? await printFolders(path, options) : 0;
  const client = await connect(BucketUploadsService, options);
  const request = requestOf(path, options);
  const lines = listLines({ json: options.json, time: timeShown(options) });
  const fileCount = await printPages("file", options, async (page) => {
    const answer = await client.listUploads({ ...request, ...page }).catch((error: unknown) => {
      throw callError("Cannot list files", error);
    });
    const { uploads, nextCursor, isPartial } = answer;
    return { lines: uploads.map(lines.ofFile), nextCursor, isPartial };
  });
  if (folderCount + fileCount === 0 && !options.json) {
    const text = isFolder ? `${path} is empty` : emptyText(path, options);
    printText(`${printable(text)}\n`, process.stderr);
  }
}

/** Returns how many there are. */
async function printFolders(path: string, options: ListOptions): Promise<number> {
  const tree = await readFolders(path, `Cannot list ${path}`, { ...options, depth: 1 });
  const lines = listLines({ json: options.json, time: timeShown(options) });
  const shown = options.all ? tree.children : tree.children.slice(0, options.limit);
  for (const child of shown) await write(lines.ofFolder(child));
  if (shown.length < tree.children.length && !options.json) sayMore(shown.length, "folder");
  return tree.children.length;
}

function isFiltered(options: ListOptions): boolean {
  const { query, search, tag, anyTag, withoutTag, from, to } = options;
  return [query, search, tag, anyTag, withoutTag, from, to].some((each) => each !== undefined);
}

function emptyText(path: string | undefined, options: ListOptions): string {
  const none = isFiltered(options) ? "no such files" : "no files";
  if (path === undefined) return none;
  if (options.recursive) return `${none} in ${path}`;
  return `${none} directly in ${path}; --recursive also lists the folders under it`;
}

function requestOf(path: string | undefined, options: ListOptions): ListUploadsRequest {
  const { bucket, query, search, sort, order, from, to } = options;
  return create(ListUploadsRequestSchema, {
    ...(bucket !== undefined && { bucketRef: bucketRefOf(bucket) }),
    ...(path !== undefined && { path }),
    ...(query !== undefined && { query }),
    ...(search !== undefined && { search }),
    ...(from && { dateFrom: from }),
    ...(to && { dateTo: to }),
    ...(sort !== undefined && { sortBy: sort }),
    ...(order !== undefined && { sortOrder: order }),
    tags: create(TagsFilterSchema, {
      allOf: options.tag ?? [],
      anyOf: options.anyTag ?? [],
      noneOf: options.withoutTag ?? [],
    }),
    recursive: options.recursive ?? false,
  });
}
