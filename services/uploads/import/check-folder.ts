import type { JsonObject } from "@bufbuild/protobuf";
import { describe } from "@stowage/api/json/field-violations";
import type { Folder } from "@stowage/api/svc/api/v1/folder_pb";
import { madeFolderId } from "../model/deterministic-ids.ts";
import { parentPath } from "../model/path.ts";
import { checkOptionalUuid, checkPath, requireMember } from "./check-text.ts";
import type { Refuse } from "./fault.ts";

/** Checks a `folder` line and completes it with what was left out. Changes the message in place. */
export function checkFolder(
  folder: Folder,
  json: JsonObject,
  bucketId: string,
  refuse: Refuse,
): Folder {
  requireMember(json, "folder.path", refuse);
  folder.path = checkPath(folder.path, "folder.path", refuse);
  checkParentPath(folder, refuse);
  for (const name of uuidMembers) {
    folder[name] = checkOptionalUuid(folder[name], `folder.${name}`, refuse);
  }
  folder.folderId ||= madeFolderId(bucketId, folder.path);
  return folder;
}

const uuidMembers = [
  "folderId",
  "scopingIntegrationId",
  "virtualFileIntegrationId",
  "virtualFileRootUploadId",
] as const;

function checkParentPath({ path, parentPath: given }: Folder, refuse: Refuse): void {
  if (given === "") return;
  const parent = parentPath(path);
  if (parent === undefined) {
    refuse("folder.parentPath", describe(given), "none: the root has no folder above it");
  } else if (checkPath(given, "folder.parentPath", refuse) !== parent) {
    refuse("folder.parentPath", describe(given), `${describe(parent)}, or nothing`);
  }
}
