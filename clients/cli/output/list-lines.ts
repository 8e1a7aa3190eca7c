/** Formats files and folders as lines of lists, for people or as JSON. */
import { create, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { writeJson } from "@stowage/api/json/write-json";
import { type FoundFolder, FoundFolderSchema } from "@stowage/api/stowage/v1/folders_service_pb";
import { type Upload, UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import { escapeName, formatSize } from "./format.ts";

interface ListLinesOptions {
  /** One JSON object of the contract in each line; otherwise size, time and path. */
  readonly json: boolean | undefined;
  /** The time that a line of a file shows. */
  readonly time: "createdAt" | "updatedAt";
}

/** A folder with its totals, as it is found or as a tree has it. */
export type ListedFolder = Pick<FoundFolder, "folder" | "rollup">;

interface ListLines {
  ofFile(upload: Upload): string;
  ofFolder(listed: ListedFolder): string;
}

export function listLines({ json, time }: ListLinesOptions): ListLines {
  if (json) {
    return { ofFile: fileJson, ofFolder: folderJson };
  }
  return {
    ofFile: (upload) => plainLine(upload.sizeBytes, upload[time], pathOf(upload)),
    ofFolder({ folder, rollup }) {
      const path = folder?.path ?? "";
      return plainLine(rollup?.subtreeSizeBytes ?? 0n, undefined, path === "/" ? "/" : `${path}/`);
    },
  };
}

export function fileJson(upload: Upload): string {
  return jsonLine(UploadSchema, upload);
}

export function folderJson({ folder, rollup }: ListedFolder): string {
  const found = { ...(folder && { folder }), ...(rollup && { rollup }) };
  return jsonLine(FoundFolderSchema, create(FoundFolderSchema, found));
}

function jsonLine<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): string {
  return `${JSON.stringify(writeJson(schema, message))}\n`;
}

/** The folder and filename: `/photos/2026/cat.jpg`. */
export function pathOf({ path, filename }: Upload): string {
  return `${path === "/" ? "" : path}/${filename}`;
}

const sizeWidth = 9;

function plainLine(sizeBytes: bigint, time: Timestamp | undefined, path: string): string {
  return `${formatSize(sizeBytes).padStart(sizeWidth)}  ${formatTime(time)}  ${escapeName(path)}\n`;
}

/** RFC 3339 to the second, as `--from` and `--to` take it. */
function formatTime(time: Timestamp | undefined): string {
  if (time === undefined) return "-".padEnd("2026-11-21T12:00:00Z".length);
  return new Date(timestampMs(time)).toISOString().replace(/\.\d+Z$/, "Z");
}
