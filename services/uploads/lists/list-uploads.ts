import { create, type MessageShape } from "@bufbuild/protobuf";
import {
  type ListUploadsRequestSchema,
  ListUploadsResponseSchema,
} from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { type BucketReader, openBucket } from "../access/open-bucket.ts";
import { readBucketRef } from "../access/read-references.ts";
import type { UnaryHandler } from "../http/handler.ts";
import { type Position, queryText } from "../model/upload-query.ts";
import type { Database } from "../postgres/database.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { listUploads } from "./list-upload-messages.ts";
import { pageJson } from "./page-json.ts";
import { listUploadDocuments } from "./read-page.ts";
import { readPageSize, readUploadQuery } from "./request.ts";

/** `BucketUploadsService.ListUploads`. */
export function listUploadsHandler({
  database,
  readBucket,
  cursorKey,
}: {
  database: Database;
  readBucket: BucketReader;
  cursorKey: Uint8Array;
}): UnaryHandler<typeof ListUploadsRequestSchema, typeof ListUploadsResponseSchema> {
  return {
    async message(request, { caller, signal }) {
      const { name, query, pageSize } = readRequest(request);
      // One state of the database: what is hidden, and what is listed, must not change in between.
      return database.read({ signal, snapshot: true }, async (run) => {
        const { bucketId, view } = await openBucket(run, caller, name);
        const cursors = cursorsOf(queryText(bucketId, query), cursorKey);
        const after = cursors.read(request.cursor);
        const page = await listUploads(run, { bucketId, view, query }, { after, pageSize });
        const nextCursor = cursors.write(page.next);
        return create(ListUploadsResponseSchema, { uploads: page.uploads, nextCursor });
      });
    },

    async json(request, call) {
      const { name, query, pageSize } = readRequest(request);
      return readBucket(call, name, async (readColumn, bucket) => {
        const cursors = cursorsOf(queryText(bucket.bucketId, query), cursorKey);
        const after = cursors.read(request.cursor);
        const list = { ...bucket, query };
        const { accessVersion, page } = await listUploadDocuments(readColumn, list, {
          after,
          pageSize,
        });
        const nextCursor = cursors.write(page.next);
        return { accessVersion, result: pageJson(page.documents, nextCursor) };
      });
    },
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
