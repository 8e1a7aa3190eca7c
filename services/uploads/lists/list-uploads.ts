import type { ListUploadsRequestSchema } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { type CompletenessReader, completenessMembers } from "../access/bucket-completeness.ts";
import type { BucketReader, StartRead } from "../access/bucket-reader.ts";
import type { BufferPool } from "../calls/buffer-pool.ts";
import type { BufferedAnswer, Handler } from "../calls/handler.ts";
import { decodeCursor, encodeCursor } from "../model/cursor.ts";
import { canonicalQuery } from "../model/upload-query.ts";
import { createCounter } from "./count-uploads.ts";
import { listReader } from "./plans/list-result.ts";
import { createPageReader } from "./read-page.ts";
import { readListRequest } from "./request.ts";

/** `BucketUploadsService.ListUploads`. */
export function listUploadsHandler({
  readBucket,
  cursorKey,
  buffers,
  baseUrl,
  completeness,
}: {
  readBucket: BucketReader;
  cursorKey: Uint8Array;
  buffers: BufferPool;
  /** Of the service: addresses of content begin with it. */
  baseUrl: string;
  completeness: CompletenessReader;
}): Handler<typeof ListUploadsRequestSchema> {
  return async (message, call) => {
    const { bucketName, query, pageSize, cursor, asOfMicros } = readListRequest(message);
    const startRead: StartRead<BufferedAnswer> = (bucket) => {
      const canonical = canonicalQuery(bucket.bucketId, query);
      // An empty cursor means the first page in a request, and the end of the list in an answer.
      const after = cursor === "" ? undefined : decodeCursor(cursor, canonical, cursorKey);
      const list = { ...bucket, query };
      const reader = listReader({ baseUrl, bucketId: bucket.bucketId });
      const { read, plansTried } = createPageReader(list, { after, pageSize }, reader);
      const count = createCounter(list, message.includeCount);
      const { record } = call;
      record.plans = plansTried;
      return async (readColumn, duration) => {
        const members = completenessMembers(await completeness.read(bucket, readColumn));
        const counted = await count(readColumn, duration);
        if (counted.result === undefined) return { ...counted, result: undefined };
        const { accessVersion, result: page } = await read(readColumn, duration);
        if (page === undefined) return { accessVersion, result: undefined };
        const { documents, next, rowCount } = page;
        record.rows = rowCount;
        const nextCursor =
          next === undefined ? "" : encodeCursor({ ...next, asOfMicros }, canonical, cursorKey);
        // The page is in the memory of the connection: copy it before the connection is returned.
        return {
          accessVersion,
          result: pageAnswer(buffers, documents, nextCursor, counted.result + members),
        };
      };
    };
    // Words are looked up in folders first, whose positions must stay as they are.
    const inSnapshot = (query.filters?.words.length ?? 0) > 0;
    return readBucket(call, bucketName, startRead, { inSnapshot });
  };
}

const answerStart = Buffer.from('{"uploads":[');

/**
 * The answer with a page of documents, which are JSON in UTF-8 with commas between.
 *
 * @param members further ones, each with a comma before it; in ASCII.
 */
export function pageAnswer(
  buffers: BufferPool,
  uploads: Buffer,
  nextCursor: string,
  members = "",
): BufferedAnswer {
  const end = `],"nextCursor":"${nextCursor}"${members}}`;
  const { bytes, release } = buffers.acquire(answerStart.length + uploads.length + end.length);
  answerStart.copy(bytes);
  uploads.copy(bytes, answerStart.length);
  bytes.write(end, answerStart.length + uploads.length, "latin1");
  return { json: bytes, release };
}
