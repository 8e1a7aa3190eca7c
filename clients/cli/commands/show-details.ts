/** `stowage stat`: shows what is known of one file or folder. */
import { create, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { writeJson } from "@stowage/api/json/write-json";
import { UploadsService } from "@stowage/api/stowage/v1/uploads_service_pb";
import { FolderSchema } from "@stowage/api/svc/api/v1/folder_pb";
import { type Upload, UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import { printable } from "@stowage/process/usage";
import { Command } from "commander";
import { connect, connectionHelp } from "../access/connection.ts";
import { addContentOptions, type ContentOptions } from "../access/content-link.ts";
import { findUpload } from "../access/find-upload.ts";
import { readFolders } from "../access/read-folders.ts";
import { splitPath } from "../arguments.ts";
import { write } from "../command-line.ts";
import { escapeName, formatCount, formatSize, namesHelp } from "../output/format.ts";
import { fileJson, folderJson, type ListedFolder, pathOf } from "../output/list-lines.ts";

interface DetailOptions extends ContentOptions {
  readonly json?: true;
}

const help = `
What is empty, zero or false is left out, except with --json. A path that ends with / is that of a
folder. Any other path is that of a file, or else of a folder.
${namesHelp}${connectionHelp}
Examples:
  stowage stat /photos/cat.jpg
  stowage stat /photos --json | jq .rollup
`;

/** The command, for `main.ts`. */
export function showDetailsCommand(): Command {
  const command = new Command("stat").description("Shows all that is known of a file or folder.");
  return addContentOptions(command, "file or folder: /photos/cat.jpg, /photos")
    .option("--json", "print one JSON object")
    .addHelpText("after", help)
    .action(showDetails);
}

async function showDetails(path: string, options: DetailOptions): Promise<void> {
  const upload = path.endsWith("/") ? undefined : await readFile(path, options);
  if (upload !== undefined) {
    return await write(options.json ? fileJson(upload) : detailLines(fileDetails(upload)));
  }
  const found = options.id === undefined ? await readFolder(path, options) : undefined;
  if (found === undefined) {
    throw new Error(`Cannot find ${path}: no such file or folder in the index`);
  }
  await write(options.json ? folderJson(found) : detailLines(folderDetails(found)));
}

async function readFile(path: string, options: DetailOptions): Promise<Upload | undefined> {
  const { bucket, id } = options;
  return await findUpload(await connect(UploadsService, options), { path, bucket, id });
}

/** The folder above lists it with its totals. The root has these alone. */
async function readFolder(path: string, options: DetailOptions): Promise<ListedFolder | undefined> {
  const { folder, name } = splitPath(path);
  const tree = await readFolders(folder, `Cannot list ${folder}`, { ...options, depth: 1 });
  if (name === "") {
    return { folder: create(FolderSchema, { path: folder }), rollup: tree.rollup };
  }
  return tree.children.find((child) => splitPath(child.folder?.path ?? "").name === name);
}

function fileDetails(upload: Upload): JsonObject {
  const { filename, path, sizeBytes, type, ...others } = writeJson(
    UploadSchema,
    upload,
  ) as JsonObject;
  return {
    path: pathOf(upload),
    size: sizeText(upload.sizeBytes),
    type: String(type)
      .replace(/^UPLOAD_TYPE_(UNSPECIFIED)?/, "")
      .toLowerCase(),
    ...others,
  };
}

function folderDetails({ folder = create(FolderSchema), rollup }: ListedFolder): JsonObject {
  const { path, parentPath, ...others } = writeJson(FolderSchema, folder) as JsonObject;
  return {
    path: folder.path === "/" ? "/" : `${folder.path}/`,
    ...(rollup && {
      size: totalText(rollup.subtreeUploadCount, rollup.subtreeSizeBytes),
      "directly in it": totalText(rollup.uploadCount, rollup.sizeBytes),
    }),
    ...others,
  };
}

function sizeText(sizeBytes: bigint): string {
  const inBytes = formatCount(sizeBytes, "byte");
  return sizeBytes < 1024n ? inBytes : `${formatSize(sizeBytes)} (${inBytes})`;
}

function totalText(fileCount: bigint, sizeBytes: bigint): string {
  return `${sizeText(sizeBytes)}, ${formatCount(fileCount, "file")}`;
}

function detailLines(details: JsonObject): string {
  const rows = Object.entries(details)
    .map(([name, value]) => [labelOf(name), valueText(value)] as const)
    .filter(([, text]) => text !== "");
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, text]) => `${label.padEnd(width)}  ${text}\n`).join("");
}

/** `contentUrl` is `content URL`. */
function labelOf(name: string): string {
  return name
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/\b(ai|id|url)\b/g, (word) => word.toUpperCase());
}

/** Empty for a value that says nothing. */
function valueText(value: JsonValue): string {
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  if (typeof value === "string") return escapeName(value);
  if (value === null || typeof value !== "object") return value ? String(value) : "";
  return Object.keys(value).length === 0 ? "" : printable(JSON.stringify(value));
}
