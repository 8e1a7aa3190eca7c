/** What an import brings: complete and checked, every ID in place, every UUID in lower case. */
import type { Folder } from "@stowage/api/svc/api/v1/folder_pb";
import type { Integration } from "@stowage/api/svc/api/v1/integration_pb";
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";

export type ImportRecord =
  | BucketRecord
  | IntegrationRecord
  | FolderRecord
  | DirectoryRecord
  | UploadRecord;

export interface BucketRecord {
  readonly kind: "bucket";
  /** Tells which of two records came later, and names the record in errors. */
  readonly line: number;
  readonly bucketId: string;
  /** In lower case. */
  readonly hostname: string;
  readonly organisationId: string;
  /** Undefined: where its organisation has no primary bucket yet. */
  readonly isPrimary: boolean | undefined;
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

/** A folder of which nothing is known but that it is there: one that is known stays as it is. */
export interface DirectoryRecord {
  readonly kind: "directory";
  readonly bucketId: string;
  /** In normal form. */
  readonly path: string;
}

/** `createdAt` and `updatedAt` may be missing: the database then sets the time of the import. */
export interface UploadRecord {
  readonly kind: "upload";
  readonly line: number;
  readonly bucketId: string;
  readonly upload: Upload;
}
