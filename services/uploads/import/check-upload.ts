import type { JsonObject } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { describe } from "@stowage/api/json/field-violations";
import type { Alias, Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { madeAliasId, madeUploadId } from "../model/deterministic-ids.ts";
import { microsAtOrBefore, timestampOfMicros } from "../model/timestamps.ts";
import {
  checkCount,
  checkOptionalUuid,
  checkPath,
  checkSize,
  requireMember,
} from "./check-text.ts";
import type { Refuse } from "./fault.ts";
import * as limits from "./limits.ts";

/**
 * Checks an `upload` line and completes it with what was left out, but for the times, which are
 * the database's to know. Changes the message in place.
 */
export function checkUpload(
  upload: Upload,
  json: JsonObject,
  bucketId: string,
  refuse: Refuse,
): Upload {
  requireMember(json, "upload.path", refuse);
  requireMember(json, "upload.sizeBytes", refuse);
  upload.path = checkPath(upload.path, "upload.path", refuse);
  checkNames(upload, json, refuse);
  checkNumbers(upload, refuse);
  checkLists(upload, refuse);
  upload.integrationId = checkOptionalUuid(upload.integrationId, "upload.integrationId", refuse);
  upload.uploadId ||= madeUploadId(bucketId, upload.path, upload.filename);
  for (const [index, alias] of upload.aliases.entries()) {
    checkAlias(alias, `upload.aliases[${index}]`, upload.uploadId, bucketId, refuse);
  }
  return upload;
}

function checkNames(upload: Upload, json: JsonObject, refuse: Refuse): void {
  checkSize(upload.uploadId, "upload.uploadId", limits.uploadIdBytesMax, refuse);
  if (requireMember(json, "upload.filename", refuse)) {
    checkName(upload.filename, "upload.filename", refuse);
  }
  checkSize(upload.filename, "upload.filename", limits.filenameBytesMax, refuse);
  upload.slug ||= upload.filename;
  if (upload.slug !== upload.filename) {
    checkSize(upload.slug, "upload.slug", limits.slugBytesMax, refuse);
    if (upload.slug.includes("/")) refuse("upload.slug", describe(upload.slug), 'no "/" in it');
  }
}

function checkName(name: string, field: string, refuse: Refuse): void {
  if (name === "" || name === "." || name === ".." || name.includes("/")) {
    refuse(field, describe(name), 'a name without "/" that is not empty, "." or ".."');
  }
}

const generationVersions = [
  "thumbnailGenerationVersion",
  "aiDescriptionGenerationVersion",
  "aiTagsGenerationVersion",
  "virusScanGenerationVersion",
] as const;

function checkNumbers(upload: Upload, refuse: Refuse): void {
  for (const name of ["sizeBytes", ...generationVersions] as const) {
    if (upload[name] < 0) refuse(`upload.${name}`, String(upload[name]), "0 or more");
  }
}

function checkLists({ tags, metaUploads, aliases }: Upload, refuse: Refuse): void {
  checkCount(tags, "upload.tags", limits.tagsMax, refuse);
  for (const [index, tag] of tags.entries()) {
    checkSize(tag, `upload.tags[${index}]`, limits.tagBytesMax, refuse);
  }
  checkCount(metaUploads, "upload.metaUploads", limits.metaUploadsMax, refuse);
  checkCount(aliases, "upload.aliases", limits.aliasesMax, refuse);
}

function checkAlias(
  alias: Alias,
  field: string,
  uploadId: string,
  bucketId: string,
  refuse: Refuse,
): void {
  if (alias.uploadId !== "" && alias.uploadId !== uploadId) {
    const need = `${describe(uploadId)}, the upload's own, or nothing`;
    refuse(`${field}.uploadId`, describe(alias.uploadId), need);
  }
  alias.uploadId = uploadId;
  if (alias.path !== "") alias.path = checkPath(alias.path, `${field}.path`, refuse);
  alias.aliasId ||= madeAliasId(bucketId, uploadId, alias);
  truncate(alias.createdAt);
  truncate(alias.expiresAt);
}

// To what the index keeps of a time.
function truncate(time: Timestamp | undefined): void {
  if (time !== undefined) time.nanos = timestampOfMicros(microsAtOrBefore(time)).nanos;
}
