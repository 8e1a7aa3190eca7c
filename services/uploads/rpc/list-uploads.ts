import { create } from "@bufbuild/protobuf";
import {
  type ListUploadsRequest,
  type ListUploadsRequestSchema,
  ListUploadsResponseSchema,
} from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { decodeCursor, encodeCursor } from "../domain/cursor.ts";
import { queryText } from "../domain/upload-query.ts";
import type { Database } from "../store/database.ts";
import { listUploads } from "../store/list-uploads.ts";
import { openBucket } from "./open-bucket.ts";
import { readBucketRef } from "./read-references.ts";
import { readPageSize, readUploadQuery } from "./read-upload-query.ts";
import type { Call, UnaryHandler } from "./unary-handler.ts";

/** `BucketUploadsService.ListUploads`. */
export function listUploadsHandler(
  database: Database,
  cursorKey: Uint8Array,
): UnaryHandler<typeof ListUploadsRequestSchema, typeof ListUploadsResponseSchema> {
  const message = async (request: ListUploadsRequest, { caller, signal }: Call) => {
    const bucketName = readBucketRef(request.bucketRef);
    const query = readUploadQuery(request);
    const pageSize = readPageSize(request.pageSize);

    // One state of the database: what is hidden, and what is listed, must not change in between.
    return database.read({ signal, snapshot: true }, async (run) => {
      const { bucketId, view } = await openBucket(run, caller, bucketName);
      const text = queryText(bucketId, query);
      const after =
        request.cursor === "" ? undefined : decodeCursor(request.cursor, text, cursorKey);

      const page = await listUploads(run, { bucketId, view, query }, { after, pageSize });

      const nextCursor = page.next === undefined ? "" : encodeCursor(page.next, text, cursorKey);
      return create(ListUploadsResponseSchema, { uploads: page.uploads, nextCursor });
    });
  };
  return { message };
}
