/** Checks a line of a file and completes it to a record. */
import type { JsonObject } from "@bufbuild/protobuf";
import { describe } from "@stowage/api/json/field-violations";
import type { Bucket, Deletion, Line } from "@stowage/api/stowage/ingest/v1/line_pb";
import type { Folder } from "@stowage/api/svc/api/v1/folder_pb";
import type { Integration } from "@stowage/api/svc/api/v1/integration_pb";
import { isUuid } from "@stowage/process";
import { validate as isVersioned } from "uuid";
import { deterministicFolderId } from "../../model/deterministic-ids.ts";
import { filenameBytesMax, hostnameLengthMax, organisationIdBytesMax } from "../../model/limits.ts";
import { parentPath } from "../../model/path.ts";
import { checkUpload } from "./check-upload.ts";
import {
  checkOptionalUuid,
  checkPath,
  checkSize,
  checkUuid,
  type Reject,
  requireMember,
} from "./member-checks.ts";
import type { BucketRecord, DeletionRecord, ImportRecord } from "./record.ts";

/**
 * The record of a message. The message becomes part of it, and is changed: IDs that were left out
 * are added, paths and UUIDs get their normal form. Faults are passed to `reject`; the record
 * must then not be used.
 *
 * @param json the message as JSON, which shows what was left out.
 * @param place the line's number, and the bucket that it belongs to.
 */
export function checkRecord(
  { record }: Line,
  json: JsonObject,
  place: { readonly line: number; readonly bucketId: string },
  reject: Reject,
): ImportRecord | undefined {
  const { line, bucketId } = place;
  const content = json[record.case ?? ""] as JsonObject;
  switch (record.case) {
    case "bucket":
      return checkBucket(record.value, content, line, reject);
    case "integration":
      checkIntegration(record.value, content, reject);
      return { kind: "integration", line, bucketId, integration: record.value };
    case "folder":
      checkFolder(record.value, content, bucketId, reject);
      return { kind: "folder", line, bucketId, folder: record.value };
    case "upload":
      checkUpload(record.value, content, bucketId, reject);
      return { kind: "upload", line, bucketId, upload: record.value };
    case "delete":
      return { kind: "deletion", line, bucketId, thing: checkDeletion(record.value, reject) };
    case undefined:
      return undefined;
  }
}

function checkBucket(bucket: Bucket, json: JsonObject, line: number, reject: Reject): BucketRecord {
  const bucketId = checkUuid(json, bucket.bucketId, "bucket.bucketId", reject);
  // IDs of what is in the bucket are made from it (model/deterministic-ids.ts).
  if (isUuid(bucketId) && !isVersioned(bucketId)) {
    reject("bucket.bucketId", describe(bucketId), "a UUID of a version from 1 to 8");
  }
  let { hostname, organisationId } = bucket;
  if (requireMember(json, "bucket.hostname", reject)) {
    hostname = checkHostname(hostname, "bucket.hostname", reject);
  }
  if (requireMember(json, "bucket.organisationId", reject)) {
    organisationId = checkOrganisationId(organisationId, "bucket.organisationId", reject);
  }
  const isPrimary = (json.primary ?? null) === null ? "as it is" : bucket.primary;
  return { kind: "bucket", line, bucketId, hostname, organisationId, isPrimary };
}

/** Returns the host name in lower case. */
export function checkHostname(hostname: string, field: string, reject: Reject): string {
  const lowered = hostname.toLowerCase();
  if (lowered.length === 0 || lowered.length > hostnameLengthMax) {
    reject(field, describe(hostname), `1 to ${hostnameLengthMax} characters`);
  }
  if (/[\s\p{Cc}]/u.test(lowered)) {
    reject(field, describe(hostname), "a text without white space and control characters");
  }
  return lowered;
}

/** Returns the identifier unchanged. */
export function checkOrganisationId(id: string, field: string, reject: Reject): string {
  if (id === "") reject(field, '""', "a text that is not empty");
  if (/\p{Cc}/u.test(id)) reject(field, describe(id), "a text without control characters");
  checkSize(id, field, organisationIdBytesMax, reject);
  return id;
}

function checkIntegration(integration: Integration, json: JsonObject, reject: Reject): void {
  const { integrationId } = integration;
  integration.integrationId = checkUuid(json, integrationId, "integration.integrationId", reject);
}

function checkFolder(folder: Folder, json: JsonObject, bucketId: string, reject: Reject): void {
  requireMember(json, "folder.path", reject);
  folder.path = checkPath(folder.path, "folder.path", reject);
  checkParentPath(folder, reject);
  for (const name of folderUuids) {
    folder[name] = checkOptionalUuid(folder[name], `folder.${name}`, reject);
  }
  folder.folderId ||= deterministicFolderId(bucketId, folder.path);
}

const folderUuids = [
  "folderId",
  "scopingIntegrationId",
  "virtualFileIntegrationId",
  "virtualFileRootUploadId",
] as const;

function checkDeletion({ thing }: Deletion, reject: Reject): DeletionRecord["thing"] {
  if (thing.case === "path") return { path: checkUploadPath(thing.value, "delete.path", reject) };
  if (thing.case === undefined) reject("delete", "nothing", "one of uploadId and path");
  const uploadId = thing.value ?? "";
  if (thing.case !== undefined && uploadId === "") reject("delete.uploadId", '""', "an ID");
  return { uploadId };
}

// A filename may be longer than what is left of a path, and may be a dot.
function checkUploadPath(text: string, field: string, reject: Reject): string {
  // A producer that has no value may write this. It must not delete the whole bucket.
  if (text === "") reject(field, '""', 'a path; "/" is everything in the bucket');
  const given = text.replace(/\/$/, "");
  const nameAt = given.lastIndexOf("/") + 1;
  const name = given.slice(nameAt);
  // The root, or a path without a name at its end, as "//" for a folder whose name is missing.
  if (name === "") return checkPath(text, field, reject);
  const folder = checkPath(given.slice(0, nameAt), field, reject);
  if (name.includes("\0")) reject(field, describe(text), "a text without U+0000");
  checkSize(name, field, filenameBytesMax, reject);
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

function checkParentPath({ path, parentPath: given }: Folder, reject: Reject): void {
  if (given === "") return;
  const parent = parentPath(path);
  if (parent === undefined) {
    reject("folder.parentPath", describe(given), "none: the root has no folder above it");
  } else if (checkPath(given, "folder.parentPath", reject) !== parent) {
    reject("folder.parentPath", describe(given), `${describe(parent)}, or nothing`);
  }
}
