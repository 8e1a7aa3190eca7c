import type { MessageShape } from "@bufbuild/protobuf";
import type { ListUploadsRequestSchema } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import type { BucketReader } from "../access/open-bucket.ts";
import { readBucketRef } from "../access/read-references.ts";
import type { BufferPool } from "../http/buffer-pool.ts";
import type { Handler } from "../http/handler.ts";
import { type Position, queryText } from "../model/upload-query.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { pageAnswer } from "./page-json.ts";
import { readPage } from "./read-page.ts";
import { readPageSize, readUploadQuery } from "./request.ts";

/** `BucketUploadsService.ListUploads`. */
export function listUploadsHandler({
  readBucket,
  cursorKey,
  buffers,
}: {
  readBucket: BucketReader;
  cursorKey: Uint8Array;
  buffers: BufferPool;
}): Handler<typeof ListUploadsRequestSchema> {
  return async (request, call) => {
    const { name, query, pageSize } = readRequest(request);
    return readBucket(call, name, async (readColumn, bucket) => {
      const cursors = cursorsOf(queryText(bucket.bucketId, query), cursorKey);
      const after = cursors.read(request.cursor);
      const page = await readPage(readColumn, { ...bucket, query }, { after, pageSize });
      const nextCursor = cursors.write(page.next);
      const result = pageAnswer(buffers, page.documents, nextCursor);
      return { accessVersion: page.accessVersion, result };
    });
  };
}

function readRequest(request: MessageShape<typeof ListUploadsRequestSchema>) {
  return {
    name: readBucketRef(request.bucketRef),
    query: readUploadQuery(request),
    pageSize: readPageSize(request.pageSize),
  };
}

// No cursor is the position before the first page, and the one behind the last.
function cursorsOf(query: string, key: Uint8Array) {
  return {
    read: (cursor: string) => (cursor === "" ? undefined : decodeCursor(cursor, query, key)),
    write: (next: Position | undefined) =>
      next === undefined ? "" : encodeCursor(next, query, key),
  };
}
