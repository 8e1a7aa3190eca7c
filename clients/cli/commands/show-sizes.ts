/** `stowage du`: shows how much is in each folder. */

import { writeJson } from "@stowage/api/json/write-json";
import type { FolderTreeNode, Rollup } from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { RollupSchema } from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { Command } from "commander";
import type { ConnectionOptions } from "../access/choose-access.ts";
import { addConnectionOptions, connectionHelp } from "../access/connection.ts";
import { readFolders } from "../access/read-folders.ts";
import { bucketOption, parseWhole } from "../arguments.ts";
import { write } from "../command-line.ts";
import { escapeName, formatCount, formatSize, namesHelp } from "../output/format.ts";

interface SizeOptions extends ConnectionOptions {
  readonly bucket?: string;
  readonly depth: number;
  readonly json?: true;
}

const depthMax = 512;

const help = `
Shows the folder and the folders in it, the largest first: size, number of files, and path. Both
numbers are of all files in a folder and in the folders under it.
${namesHelp}${connectionHelp}
Examples:
  stowage du
  stowage du /photos --depth 2 --json | jq -r '[.subtreeSizeBytes, .path] | @tsv'
`;

/** The command, for `main.ts`. */
export function showSizesCommand(): Command {
  const command = new Command("du")
    .description("Shows how much is in each folder, the largest first.")
    .argument("[path]", "folder", "/")
    .addOption(bucketOption())
    .option("--depth <n>", "how many levels of folders to show", parseWhole(1, depthMax), 1)
    .option("--json", "print one JSON object a line: path and totals");
  return addConnectionOptions(command).addHelpText("after", help).action(showSizes);
}

async function showSizes(path: string, options: SizeOptions): Promise<void> {
  const tree = await readFolders(path, `Cannot show the sizes of ${path}`, options);
  const top = { path: `/${path.replace(/^\/|\/$/g, "")}`, rollup: tree.rollup };
  const sizes = [top, ...tree.children.flatMap(sizesOf)]
    .flatMap(({ path, rollup }) => (rollup === undefined ? [] : [{ path, rollup }]))
    .sort((a, b) => Number(b.rollup.subtreeSizeBytes - a.rollup.subtreeSizeBytes));
  if (options.json) {
    for (const { path, rollup } of sizes) {
      await write(`${JSON.stringify({ path, ...Object(writeJson(RollupSchema, rollup)) })}\n`);
    }
    return;
  }
  const width = Math.max(...sizes.map(({ rollup }) => countText(rollup).length));
  for (const { path, rollup } of sizes) {
    const size = formatSize(rollup.subtreeSizeBytes).padStart(sizeWidth);
    const name = path === "/" ? path : `${escapeName(path)}/`;
    await write(`${size}  ${countText(rollup).padStart(width)}  ${name}\n`);
  }
}

const sizeWidth = 9;

function countText({ subtreeUploadCount }: Rollup): string {
  return formatCount(subtreeUploadCount, "file");
}

interface Size {
  readonly path: string;
  readonly rollup: Rollup | undefined;
}

/** A folder before those in it, which stays so if they are as large. */
function sizesOf({ folder, rollup, children }: FolderTreeNode): Size[] {
  return [{ path: folder?.path ?? "", rollup }, ...children.flatMap(sizesOf)];
}
