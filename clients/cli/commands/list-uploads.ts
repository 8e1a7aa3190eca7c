/** `stowage ls`: lists the uploads of a bucket, page by page. */
import { create } from "@bufbuild/protobuf";
import {
  BucketUploadsService,
  type ListUploadsRequest,
  ListUploadsRequestSchema,
  TagsFilterSchema,
} from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { printable, printText } from "@stowage/process/usage";
import { Command, Option } from "commander";
import type { ConnectionOptions } from "../access/choose-access.ts";
import { addConnectionOptions, callError, connect, connectionHelp } from "../access/connection.ts";
import { bucketOption, bucketRefOf, collectText, parseTime, parseWhole } from "../arguments.ts";
import { write } from "../command-line.ts";
import { namesHelp } from "../output/format.ts";
import { uploadWriter } from "../output/upload-lines.ts";

interface ListOptions extends ConnectionOptions {
  readonly bucket?: string;
  readonly recursive?: true;
  readonly search?: string;
  readonly tag?: string[];
  readonly anyTag?: string[];
  readonly withoutTag?: string[];
  readonly from?: ListUploadsRequest["dateFrom"];
  readonly to?: ListUploadsRequest["dateTo"];
  readonly sort?: string;
  readonly order?: string;
  readonly limit: number;
  readonly all?: true;
  readonly pageSize?: number;
  readonly json?: true;
}

const pageSizeMax = 1000;
const limitDefault = 50;
const limitMax = 1_000_000_000;

const help = `
Without a path, the command lists the whole bucket. With a path, it lists the uploads directly in
that folder, and with --recursive also those in the folders under it. A folder that does not exist
has no uploads. A search text matches anywhere in the filename or slug, ignoring case; with * or ?
in it, it must match the whole name. A time is RFC 3339 (2026-11-21T12:00:00Z), or a date, which is
the whole UTC day. Times are shown in UTC: the time of creation, or of the last change if the list
is sorted by that.
${namesHelp}${connectionHelp}
Examples:
  stowage ls --search '*.pdf' --sort size_bytes
  stowage ls /photos --recursive --tag holiday --from 2026-07-01 --to 2026-08-31
  stowage ls --all --json | jq -r .filename
`;

/** The command, for `main.ts`. */
export function listUploadsCommand(): Command {
  const command = new Command("ls")
    .description("Lists the uploads of a bucket, newest first unless sorted otherwise.")
    .argument("[path]", "folder")
    .addOption(bucketOption())
    .option("--recursive", "also list uploads in the folders under the path")
    .option("--search <text>", "only names that contain this text, or match it as a pattern")
    .option("--tag <tag>", "only uploads with this tag; repeated: with all of them", collectText)
    .option("--any-tag <tag>", "only uploads with this tag; repeated: with any", collectText)
    .option(
      "--without-tag <tag>",
      "no uploads with this tag; repeated: with any of them",
      collectText,
    )
    .option("--from <time>", "only uploads created at this time or later", parseTime("first"))
    .option("--to <time>", "only uploads created at this time or earlier", parseTime("last"))
    .addOption(
      new Option("--sort <key>", "what to sort by (default: created_at)").choices(sortKeys),
    )
    .addOption(
      new Option("--order <order>", "sort direction (default: desc)").choices(["asc", "desc"]),
    )
    .option(
      "--limit <n>",
      "maximum number of uploads to list",
      parseWhole(1, limitMax),
      limitDefault,
    )
    .addOption(new Option("--all", "list all uploads").conflicts("limit"))
    .option(
      "--page-size <n>",
      "maximum number of uploads in one call, up to 1000",
      parseWhole(1, pageSizeMax),
    )
    .option("--json", "print one JSON object a line, with every field of the upload");
  return addConnectionOptions(command).addHelpText("after", help).action(list);
}

const sortKeys = ["created_at", "updated_at", "filename", "size_bytes", "order"];

async function list(path: string | undefined, options: ListOptions): Promise<void> {
  const client = await connect(BucketUploadsService, options);
  const request = requestOf(path, options);
  const writer = uploadWriter({ json: options.json, time: timeShown(options.sort) });
  const limit = options.all ? Number.POSITIVE_INFINITY : options.limit;
  let count = 0;
  do {
    request.pageSize = Math.min(options.pageSize ?? pageSizeMax, limit - count, pageSizeMax);
    const page = await client.listUploads(request).catch((error: unknown) => {
      throw callError("Cannot list uploads", error);
    });
    await write(writer(page.uploads));
    count += page.uploads.length;
    request.cursor = page.nextCursor;
  } while (request.cursor !== "" && count < limit);

  if (options.json) return;
  if (count === 0) printText(`${printable(emptyText(path, options))}\n`, process.stderr);
  if (request.cursor !== "") {
    process.stderr.write(`the first ${count}; --all or a higher --limit lists more\n`);
  }
}

function emptyText(path: string | undefined, options: ListOptions): string {
  const { recursive, search, tag, anyTag, withoutTag, from, to } = options;
  const isFiltered = [search, tag, anyTag, withoutTag, from, to].some((each) => each !== undefined);
  const none = isFiltered ? "no such uploads" : "no uploads";
  if (path === undefined) return none;
  if (recursive) return `${none} in ${path}`;
  return `${none} directly in ${path}; --recursive also lists the folders under it`;
}

function timeShown(sort: string | undefined): "createdAt" | "updatedAt" {
  return sort === "updated_at" ? "updatedAt" : "createdAt";
}

function requestOf(path: string | undefined, options: ListOptions): ListUploadsRequest {
  const { bucket, search, sort, order, from, to } = options;
  return create(ListUploadsRequestSchema, {
    ...(bucket !== undefined && { bucketRef: bucketRefOf(bucket) }),
    ...(path !== undefined && { path }),
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
