/** The records of an import: complete and checked, with UUIDs in lower case. */
import type { Folder } from "@stowage/api/svc/api/v1/folder_pb";
import type { Integration } from "@stowage/api/svc/api/v1/integration_pb";
import type { Upload, UploadType } from "@stowage/api/svc/api/v1/upload_pb";
import type { Microseconds } from "../../model/microseconds.ts";

export type ImportRecord =
  | BucketRecord
  | IntegrationRecord
  | FolderRecord
  | FolderPathRecord
  | UploadRecord
  | ObjectRecord
  | DeletionRecord;

export interface BucketRecord {
  readonly kind: "bucket";
  /** Of two records of one thing, the later one counts. Errors name the record by it. */
  readonly line: number;
  readonly bucketId: string;
  /** In lower case. */
  readonly hostname: string;
  readonly organisationId: string;
  /** `if none`: only if the bucket is new, and its organisation has no primary bucket. */
  readonly isPrimary: boolean | "as it is" | "if none";
}

export interface IntegrationRecord {
  readonly kind: "integration";
  readonly line: number;
  readonly bucketId: string;
  readonly integration: Integration;
}

export interface FolderRecord {
  readonly kind: "folder";
  readonly line: number;
  readonly bucketId: string;
  readonly folder: Folder;
}

/** A folder that exists, without properties. A folder that the index already has is not changed. */
export interface FolderPathRecord {
  readonly kind: "folder path";
  readonly bucketId: string;
  /** In normal form. */
  readonly path: string;
}

/** Deletes from the index, and from what earlier lines bring. */
export interface DeletionRecord {
  readonly kind: "deletion";
  readonly line: number;
  readonly bucketId: string;
  /** An upload, or everything at and under a path, which is in normal form. */
  readonly thing: { readonly uploadId: string } | { readonly path: string };
}

/** If `createdAt` or `updatedAt` is missing, the database sets the time of the import. */
export interface UploadRecord {
  readonly kind: "upload";
  readonly line: number;
  readonly bucketId: string;
  readonly upload: Upload;
}

/**
 * An object of a store, or a file. Its upload has these values; if it is new, all others are empty.
 */
export interface ObjectRecord {
  readonly kind: "object";
  readonly line: number;
  readonly bucketId: string;
  readonly object: ObjectFields;
}

export interface ObjectFields {
  readonly uploadId: string;
  /** In normal form. */
  readonly path: string;
  readonly filename: string;
  readonly sizeBytes: bigint;
  readonly type: UploadType;
  /** Undefined: those that the upload has. */
  readonly tags: readonly string[] | undefined;
  /** Undefined: when the object was last changed. */
  readonly createdAtMicros: Microseconds | undefined;
  readonly updatedAtMicros: Microseconds;
  readonly intentMetadata: object;
  readonly externalPath: string;
}
