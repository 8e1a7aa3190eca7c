import type { BucketRef, FolderRef } from "@stowage/api/svc/api/v1/references_pb";
import { isUuid } from "@stowage/process";
import { invalidField } from "../model/api-error.ts";
import { normalisePath, PathError } from "../model/path.ts";
import { readText } from "../model/read-text.ts";
import type { BucketName } from "./bucket-lookup.ts";
import type { FolderName } from "./find-folder.ts";

const hostnameLengthMax = 253;

/** The bucket that a request names; none named is the organisation's primary one. */
export function readBucketRef(bucketRef: BucketRef | undefined): BucketName {
  if (bucketRef === undefined) return "primary";
  const { reference } = bucketRef;
  switch (reference.case) {
    case "bucketId":
      return { bucketId: readUuid("bucketRef.bucketId", reference.value) };
    case "hostname":
      return { hostname: readHostname(reference.value) };
    case undefined:
      throw invalidField("bucketRef", "names no bucket; need one of bucketId and hostname");
  }
}

/** The folder that a request names; none named is the bucket's root. */
export function readFolderRef(folder: FolderRef | undefined): FolderName {
  if (folder === undefined) return { path: "/" };
  const { reference } = folder;
  switch (reference.case) {
    case "folderId":
      return { folderId: readUuid("folder.folderId", reference.value) };
    case "path":
      return { path: readPath("folder.path", reference.value) };
    case undefined:
      throw invalidField("folder", "names no folder; need one of folderId and path");
  }
}

/** A folder path in normal form. */
export function readPath(field: string, path: string): string {
  try {
    return normalisePath(path);
  } catch (error) {
    if (error instanceof PathError) throw invalidField(field, error.message);
    throw error;
  }
}

function readUuid(field: string, id: string): string {
  if (!isUuid(id)) throw invalidField(field, "is not a UUID; need its 36-character form");
  return id.toLowerCase();
}

function readHostname(hostname: string): string {
  const { length } = readText("bucketRef.hostname", hostname);
  if (length === 0 || length > hostnameLengthMax) {
    throw invalidField(
      "bucketRef.hostname",
      `is ${length} characters; need 1 to ${hostnameLengthMax}`,
    );
  }
  return hostname;
}
