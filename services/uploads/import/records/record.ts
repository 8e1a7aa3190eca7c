/** The records that sources pass to an import: complete and checked, with UUIDs in lower case. */
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
  /** Of two records of one thing, the later one counts. Errors name the record by it. */
  readonly line: number;
  readonly bucketId: string;
  /** In lower case. */
  readonly hostname: string;
  readonly organisationId: string;
  /** Undefined: only if its organisation has no primary bucket yet. */
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

/** A folder that exists, without properties. A folder that the index already has is not changed. */
interface DirectoryRecord {
  readonly kind: "directory";
  readonly bucketId: string;
  /** In normal form. */
  readonly path: string;
}

/** If `createdAt` or `updatedAt` is missing, the database sets the time of the import. */
export interface UploadRecord {
  readonly kind: "upload";
  readonly line: number;
  readonly bucketId: string;
  readonly upload: Upload;
}
