/** Prints lists page by page: for `find` and `ls`. */
import { type Command, Option } from "commander";
import { parseWhole } from "../arguments.ts";
import { write } from "../command-line.ts";
import { formatCount } from "../output/format.ts";

export interface PageOptions {
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
const sortKeys = ["created_at", "updated_at", "filename", "size_bytes", "order"];

/** The options for the order and the number of lines. */
export function addPageOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--sort <key>", "what to sort files by (default: created_at)").choices(sortKeys),
    )
    .addOption(
      new Option("--order <order>", "sort direction (default: desc)").choices(["asc", "desc"]),
    )
    .option(
      "--limit <n>",
      "maximum number of folders to list, and of files",
      parseWhole(1, limitMax),
      limitDefault,
    )
    .addOption(new Option("--all", "list all folders and files").conflicts("limit"))
    .option(
      "--page-size <n>",
      "maximum number of folders or files in one call, up to 1000",
      parseWhole(1, pageSizeMax),
    )
    .option("--json", "print one JSON object a line, with every field of the folder or file");
}

/** The time that is of interest in a list with this order. */
export function timeShown({ sort }: PageOptions): "createdAt" | "updatedAt" {
  return sort === "updated_at" ? "updatedAt" : "createdAt";
}

interface Page {
  readonly lines: readonly string[];
  readonly nextCursor: string;
  /** Whether the index of the bucket is not complete. */
  readonly isPartial?: boolean;
}

/** Prints lines up to the limit, and says if there are more. Returns how many were printed. */
export async function printPages(
  thing: "file" | "folder",
  options: PageOptions,
  readPage: (page: { readonly pageSize: number; readonly cursor: string }) => Promise<Page>,
): Promise<number> {
  const limit = options.all ? Number.POSITIVE_INFINITY : options.limit;
  let count = 0;
  let cursor = "";
  let isPartial = false;
  do {
    const pageSize = Math.min(options.pageSize ?? pageSizeMax, limit - count, pageSizeMax);
    const page = await readPage({ pageSize, cursor });
    await write(page.lines.join(""));
    count += page.lines.length;
    cursor = page.nextCursor;
    isPartial = page.isPartial ?? false;
  } while (cursor !== "" && count < limit);
  if (cursor !== "" && !options.json) sayMore(count, thing);
  if (isPartial && !options.json) sayPartial();
  return count;
}

export function sayPartial(): void {
  process.stderr.write(
    "the index of the bucket is not complete: files may be missing or left over; " +
      "stowage sources list says why\n",
  );
}

export function sayMore(count: number, thing: "file" | "folder"): void {
  process.stderr.write(
    `the first ${formatCount(count, thing)}; --all or a higher --limit lists more\n`,
  );
}
