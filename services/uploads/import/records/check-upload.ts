import type { JsonObject } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { describe } from "@stowage/api/json/field-violations";
import type { Alias, Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { deterministicAliasId, deterministicUploadId } from "../../model/deterministic-ids.ts";
import {
  aliasesMax,
  filenameBytesMax,
  metaUploadsMax,
  slugBytesMax,
  tagBytesMax,
  tagsMax,
  uploadIdBytesMax,
} from "../../model/limits.ts";
import { microsAtOrBefore, timestampOfMicros } from "../../model/timestamps.ts";
import {
  checkCount,
  checkOptionalUuid,
  checkPath,
  checkSize,
  type Reject,
  requireMember,
} from "./member-checks.ts";

/**
 * Checks an upload and completes it with what was left out, except for the times, which the
 * database sets. Changes the message in place.
 */
export function checkUpload(
  upload: Upload,
  json: JsonObject,
  bucketId: string,
  reject: Reject,
): void {
  requireMember(json, "upload.path", reject);
  requireMember(json, "upload.sizeBytes", reject);
  upload.path = checkPath(upload.path, "upload.path", reject);
  checkNames(upload, json, reject);
  checkNumbers(upload, reject);
  checkLists(upload, reject);
  checkContentUrl(upload, bucketId, reject);
  upload.integrationId = checkOptionalUuid(upload.integrationId, "upload.integrationId", reject);
  upload.uploadId ||= deterministicUploadId(bucketId, upload.path, upload.filename);
  for (const [index, alias] of upload.aliases.entries()) {
    checkAlias(alias, `upload.aliases[${index}]`, upload.uploadId, bucketId, reject);
  }
}

function checkNames(upload: Upload, json: JsonObject, reject: Reject): void {
  checkSize(upload.uploadId, "upload.uploadId", uploadIdBytesMax, reject);
  if (requireMember(json, "upload.filename", reject)) {
    checkName(upload.filename, "upload.filename", reject);
  }
  checkSize(upload.filename, "upload.filename", filenameBytesMax, reject);
  upload.slug ||= upload.filename;
  if (upload.slug !== upload.filename) {
    checkSize(upload.slug, "upload.slug", slugBytesMax, reject);
    if (upload.slug.includes("/")) reject("upload.slug", describe(upload.slug), 'no "/" in it');
  }
}

// Answers complete such an address, since the index has it for the uploads of sources.
function checkContentUrl({ contentUrl }: Upload, bucketId: string, reject: Reject): void {
  const start = `/content/${bucketId}/`;
  if (!contentUrl.startsWith(start)) return;
  reject("upload.contentUrl", describe(contentUrl), `an address that does not begin with ${start}`);
}

function checkName(name: string, field: string, reject: Reject): void {
  if (name === "" || name === "." || name === ".." || name.includes("/")) {
    reject(field, describe(name), 'a name without "/" that is not empty, "." or ".."');
  }
}

const generationVersions = [
  "thumbnailGenerationVersion",
  "aiDescriptionGenerationVersion",
  "aiTagsGenerationVersion",
  "virusScanGenerationVersion",
] as const;

function checkNumbers(upload: Upload, reject: Reject): void {
  for (const name of ["sizeBytes", ...generationVersions] as const) {
    if (upload[name] < 0) reject(`upload.${name}`, String(upload[name]), "0 or more");
  }
}

function checkLists({ tags, metaUploads, aliases }: Upload, reject: Reject): void {
  checkCount(tags, "upload.tags", tagsMax, reject);
  for (const [index, tag] of tags.entries()) {
    checkSize(tag, `upload.tags[${index}]`, tagBytesMax, reject);
  }
  checkCount(metaUploads, "upload.metaUploads", metaUploadsMax, reject);
  checkCount(aliases, "upload.aliases", aliasesMax, reject);
}

function checkAlias(
  alias: Alias,
  field: string,
  uploadId: string,
  bucketId: string,
  reject: Reject,
): void {
  if (alias.uploadId !== "" && alias.uploadId !== uploadId) {
    const need = `${describe(uploadId)}, the upload's own, or nothing`;
    reject(`${field}.uploadId`, describe(alias.uploadId), need);
  }
  alias.uploadId = uploadId;
  if (alias.path !== "") alias.path = checkPath(alias.path, `${field}.path`, reject);
  alias.aliasId ||= deterministicAliasId(bucketId, uploadId, alias);
  truncate(alias.createdAt);
  truncate(alias.expiresAt);
}

// The index stores microseconds.
function truncate(time: Timestamp | undefined): void {
  if (time !== undefined) time.nanos = timestampOfMicros(microsAtOrBefore(time)).nanos;
}
