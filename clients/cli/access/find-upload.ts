/** Finds the upload that a path on the command line names. */
import { create } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import {
  GetUploadRequestSchema,
  type UploadsService,
} from "@stowage/api/stowage/v1/uploads_service_pb";
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { bucketRefOf, splitPath } from "../arguments.ts";
import { callError, reasonOf } from "./connection.ts";

interface NamedUpload {
  /** A folder and a filename: `/photos/2026/cat.jpg`. */
  readonly path: string;
  readonly bucket: string | undefined;
  /** Tells uploads at the same path apart. */
  readonly id: string | undefined;
}

/** Undefined if there is none. Throws an Error if the path names several. */
export async function findUpload(
  client: Client<typeof UploadsService>,
  { path, bucket, id }: NamedUpload,
): Promise<Upload | undefined> {
  const { folder, name } = splitPath(path);
  const request = create(GetUploadRequestSchema, {
    ...(bucket !== undefined && { bucketRef: bucketRefOf(bucket) }),
    ...(id === undefined ? { path: folder, filename: name } : { uploadId: id }),
  });
  const found = await client.getUpload(request).catch((error: unknown) => {
    if (reasonOf(error) === "UPLOAD_NOT_FOUND") return undefined;
    throw callError(`Cannot find ${path}`, error);
  });
  if (found?.hasMore) {
    throw new Error(
      `Cannot tell which file ${path} is: several have this path; name one with --id ` +
        `(stowage ls ${folder} --json shows their IDs)`,
    );
  }
  const upload = found?.upload;
  return upload?.path === folder && upload.filename === name ? upload : undefined;
}
