/** `stowage ls`: the uploads of a bucket, page by page. */
import { create } from "@bufbuild/protobuf";
import {
  BucketUploadsService,
  type ListUploadsRequest,
  ListUploadsRequestSchema,
  TagsFilterSchema,
} from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { Command, Option } from "commander";
import { callError } from "../access/call-error.ts";
import {
  addConnectionOptions,
  type ConnectionOptions,
  connect,
  connectionHelp,
} from "../access/connection.ts";
import { uploadWriter } from "../output/upload-lines.ts";
import { write } from "../output/write.ts";
import { bucketOption, bucketRefOf } from "./bucket-option.ts";
import { collectText } from "./collect-text.ts";
import { parseWhole } from "./parse-number.ts";
import { parseTime } from "./parse-time.ts";

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
Without a path the whole bucket is listed; with one, the uploads directly in that folder, and with
--recursive also those under it. A search text is found anywhere in the filename or slug, ignoring
case; with * or ? in it, the whole name must match. A time is RFC 3339 (2026-11-21T12:00:00Z), or a
date, which is the whole UTC day. Times are shown in UTC: when an upload was made, or last changed
where that is what is sorted by.
${connectionHelp}
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
    .option("--recursive", "also uploads in the folders under the path")
    .option("--search <text>", "only names that hold this text, or match it as a pattern")
    .option("--tag <tag>", "only uploads with this tag; again: with each of them", collectText)
    .option("--any-tag <tag>", "only uploads with this tag; again: with one of them", collectText)
    .option(
      "--without-tag <tag>",
      "no uploads with this tag; again: with none of them",
      collectText,
    )
    .option("--from <time>", "only uploads made at this time or later", parseTime("first"))
    .option("--to <time>", "only uploads made at this time or earlier", parseTime("last"))
    .addOption(
      new Option("--sort <key>", "what to sort by (default: created_at)").choices(sortKeys),
    )
    .addOption(new Option("--order <order>", "which way (default: desc)").choices(["asc", "desc"]))
    .option("--limit <n>", "most uploads to list", parseWhole(1, limitMax), limitDefault)
    .option("--all", "list all of them")
    .option("--page-size <n>", "most uploads in one call, at most 1000", parseWhole(1, pageSizeMax))
    .option("--json", "one JSON object a line, every field of each upload");
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
  if (count === 0) process.stderr.write("no uploads\n");
  if (request.cursor !== "") {
    process.stderr.write(`the first ${count}; --all or a higher --limit lists more\n`);
  }
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
