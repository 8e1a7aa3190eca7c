/** Checks of request fields that several operations have in common. */
import type { BucketRef, FolderRef } from "@stowage/api/svc/api/v1/references_pb";
import { isUuid } from "@stowage/process";
import { invalidField } from "../model/api-error.ts";
import { hostnameLengthMax } from "../model/limits.ts";
import { normalisePath, PathError } from "../model/path.ts";
import type { BucketName } from "./bucket-lookup.ts";

/** How a request names a folder. */
export type FolderName = { folderId: string } | { path: string };

const pageSizeDefault = 50;
const pageSizeMax = 1000;
/** In code points. */
const filterTextLengthMax = 256;

/** The bucket that a request names. Without a reference, the organisation's primary bucket. */
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

/** The folder that a request names. Without a reference, the bucket's root. */
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

/** Returns a folder path in normal form. */
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
  return hostname.toLowerCase();
}

/** Refuses U+0000, which the database cannot store and no name has. */
export function readText(field: string, text: string): string {
  if (text.includes("\0")) {
    throw invalidField(field, "holds the character U+0000; need text without it");
  }
  return text;
}

/** Returns the text of a filter. */
export function readFilterText(field: string, text: string): string {
  const length = [...readText(field, text)].length;
  if (length > filterTextLengthMax) {
    throw invalidField(field, `is ${length} code points; need at most ${filterTextLengthMax}`);
  }
  return text;
}

/** The number of things on a page. */
export function readPageSize(pageSize: number): number {
  if (pageSize < 0 || pageSize > pageSizeMax) {
    throw invalidField(
      "pageSize",
      `is ${pageSize}; need 1 to ${pageSizeMax}, or 0 for the default`,
    );
  }
  return pageSize === 0 ? pageSizeDefault : pageSize;
}
