import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { writeJson } from "@stowage/api/json/write-json";
import { FolderSchema } from "@stowage/api/svc/api/v1/folder_pb";

/** The members that a caller sees of a folder that only leads to what it may see. */
export function bareFolder(document: Buffer): JsonObject {
  const { folderId, path, parentPath } = JSON.parse(document.toString());
  return { folderId, path, parentPath };
}

/** The same folder as the contract's JSON, with a default value for every other field. */
export function bareFolderJson(document: Buffer): Uint8Array {
  const folder = fromJson(FolderSchema, bareFolder(document));
  return Buffer.from(JSON.stringify(writeJson(FolderSchema, folder)));
}
