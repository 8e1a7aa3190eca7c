import { create } from "@bufbuild/protobuf";
import { writeJson } from "@stowage/api/json/write-json";
import { type Folder, FolderSchema } from "@stowage/api/svc/api/v1/folder_pb";

/** All that a caller learns of a folder that only leads to what it may see. */
export function bareFolder(document: Buffer): Folder {
  const { folderId, path, parentPath } = JSON.parse(document.toString());
  return create(FolderSchema, { folderId, path, parentPath });
}

/** The same, as the contract's JSON. */
export function bareFolderJson(document: Buffer): Uint8Array {
  return Buffer.from(JSON.stringify(writeJson(FolderSchema, bareFolder(document))));
}
