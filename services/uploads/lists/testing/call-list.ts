import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import type { AccessToken } from "@stowage/access-token";
import { ListUploadsRequestSchema } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { CompletenessReader } from "../../access/bucket-completeness.ts";
import { createBucketReader } from "../../access/bucket-reader.ts";
import { BufferPool } from "../../calls/buffer-pool.ts";
import type { CallDetails } from "../../calls/call-details.ts";
import type { BufferedAnswer } from "../../calls/handler.ts";
import type { Database } from "../../postgres/database.ts";
import { listUploadsHandler } from "../list-uploads.ts";

const anyClient = { organisationId: "org", clientId: "c", authorizationDetails: [] };
const call = {
  signal: new AbortController().signal,
  onClosed() {},
  resizeAnswer() {},
};

interface ListDatabases {
  readonly short: Database;
  readonly long: Database;
  readonly longTimeoutMs: number;
}

/**
 * ListUploads, by default of a client of the whole organisation. Its cursors are valid for this
 * function only.
 */
export function listUploadsOn({ short, long, longTimeoutMs }: ListDatabases) {
  const list = listUploadsHandler({
    completeness: new CompletenessReader(),
    readBucket: createBucketReader({ short: () => short, long: () => long, longTimeoutMs }),
    cursorKey: randomBytes(32),
    buffers: new BufferPool(),
    baseUrl: "http://127.0.0.1",
  });
  return async (
    request: JsonObject,
    record = emptyRecord(),
    caller: object = anyClient,
  ): Promise<BufferedAnswer> => {
    const answer = await list(fromJson(ListUploadsRequestSchema, request), {
      ...call,
      caller: caller as AccessToken,
      record,
    });
    assert.ok("json" in answer);
    return answer;
  };
}

/** The record of a call that has not begun. */
export function emptyRecord(): CallDetails {
  return { bucketId: undefined, rows: undefined, plans: [] };
}
