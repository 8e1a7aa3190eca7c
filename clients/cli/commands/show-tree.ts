/** `stowage tree`: draws the folders of a bucket. */
import { create } from "@bufbuild/protobuf";
import {
  BucketFoldersService,
  type ListFolderTreeRequest,
  ListFolderTreeRequestSchema,
} from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { Command } from "commander";
import type { ConnectionOptions } from "../access/choose-access.ts";
import { addConnectionOptions, callError, connect, connectionHelp } from "../access/connection.ts";
import { streamJson } from "../access/stream-json.ts";
import { bucketOption, bucketRefOf, folderRefOf, parseWhole, textFilterOf } from "../arguments.ts";
import { write } from "../command-line.ts";
import { namesHelp } from "../output/format.ts";
import { treeLines } from "../output/tree-lines.ts";
import { sayPartial } from "./print-pages.ts";

interface TreeOptions extends ConnectionOptions {
  readonly bucket?: string;
  readonly uploads?: true;
  readonly pathFilter?: string;
  readonly uploadFilter?: string;
  readonly caseSensitive?: true;
  readonly onlyMatches?: true;
  readonly depth?: number;
  readonly rollups?: true;
  readonly json?: true;
}

const depthMax = 512;

const help = `
A rule is equals:TEXT, prefix:TEXT, contains:TEXT or glob:PATTERN. Without one of these words, a
text with * or ? is a glob, and any other text matches anywhere. Case is ignored unless
--case-sensitive is given. A path filter compares whole paths (/photos/2026). It marks the folders
that match and leaves out folders that neither match nor lead to a match. An upload filter compares
filenames and slugs, and marks the folders that directly contain a match; with --uploads only
matching uploads are shown.

  folder/    a folder
  folder/ *  a folder that the filters mark
  folder/ …  a folder with more folders in it than --depth shows
${namesHelp}${connectionHelp}
Examples:
  stowage tree /photos --depth 2 --rollups
  stowage tree --upload-filter '*.pdf' --only-matches
  stowage tree --path-filter prefix:/photos/2026 --uploads --json
`;

/** The command, for `main.ts`. */
export function showTreeCommand(): Command {
  const command = new Command("tree")
    .description("Shows the folders of a bucket as a tree.")
    .argument("[path]", "folder to begin at (default: the root)")
    .addOption(bucketOption())
    .option("--uploads", "also show the uploads of each folder")
    .option("--path-filter <rule>", "only folders whose path matches, and their ancestors")
    .option("--upload-filter <rule>", "mark folders that contain an upload whose name matches")
    .option("--case-sensitive", "both filters distinguish upper and lower case")
    .option("--only-matches", "leave out branches without a marked folder")
    .option(
      "--depth <n>",
      "maximum number of levels to show (default: all)",
      parseWhole(1, depthMax),
    )
    .option(
      "--rollups",
      "show how many uploads each folder and its subfolders have, and their size",
    )
    .option("--json", "print the service's response as one JSON object");
  return addConnectionOptions(command).addHelpText("after", help).action(showTree);
}

async function showTree(path: string | undefined, options: TreeOptions): Promise<void> {
  const request = requestOf(path, options);
  if (options.json) return await printJson(request, options);
  const client = await connect(BucketFoldersService, options);
  const tree = await client.listFolderTree(request).catch((error: unknown) => {
    throw callError("Cannot show the tree", error);
  });
  const { pathFilter, uploadFilter, includeUploads } = request;
  const isFiltered = pathFilter !== undefined || uploadFilter !== undefined;
  for (const text of treeLines(tree, { top: path ?? "/", includeUploads, isFiltered })) {
    await write(text);
  }
  if (tree.isPartial) sayPartial();
}

/** The service's own text: a large tree does not fit into the memory. */
async function printJson(request: ListFolderTreeRequest, options: TreeOptions): Promise<void> {
  const { listFolderTree } = BucketFoldersService.method;
  try {
    for await (const chunk of await streamJson(listFolderTree, request, options)) {
      await write(chunk);
    }
  } catch (error) {
    throw callError("Cannot show the tree", error);
  }
  await write("\n");
}

function requestOf(path: string | undefined, options: TreeOptions): ListFolderTreeRequest {
  const { bucket, caseSensitive = false } = options;
  return create(ListFolderTreeRequestSchema, {
    ...(bucket !== undefined && { bucketRef: bucketRefOf(bucket) }),
    ...(path !== undefined && { folder: folderRefOf(path) }),
    ...(options.pathFilter !== undefined && {
      pathFilter: textFilterOf(options.pathFilter, caseSensitive),
    }),
    ...(options.uploadFilter !== undefined && {
      uploadFilter: textFilterOf(options.uploadFilter, caseSensitive),
    }),
    includeUploads: options.uploads ?? false,
    onlyMatches: options.onlyMatches ?? false,
    maxDepth: options.depth ?? 0,
    includeRollups: options.rollups ?? false,
  });
}
