/** Reads folders with their totals. */
import { create } from "@bufbuild/protobuf";
import {
  BucketFoldersService,
  ListFolderTreeRequestSchema,
  type ListFolderTreeResponse,
} from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { bucketRefOf, folderRefOf } from "../arguments.ts";
import type { ConnectionOptions } from "./choose-access.ts";
import { callError, connect } from "./connection.ts";

interface ReadOptions extends ConnectionOptions {
  readonly bucket?: string;
  /** How many levels of folders under the path to read. */
  readonly depth: number;
}

/** The folders under a path. `act` is what fails if there are none. */
export async function readFolders(
  path: string,
  act: string,
  options: ReadOptions,
): Promise<ListFolderTreeResponse> {
  const { bucket, depth } = options;
  const request = create(ListFolderTreeRequestSchema, {
    ...(bucket !== undefined && { bucketRef: bucketRefOf(bucket) }),
    folder: folderRefOf(path),
    maxDepth: depth,
    includeRollups: true,
  });
  const client = await connect(BucketFoldersService, options);
  return await client.listFolderTree(request).catch((error: unknown) => {
    throw callError(act, error);
  });
}
