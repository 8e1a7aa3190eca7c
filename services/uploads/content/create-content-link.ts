import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { writeJson } from "@stowage/api/json/write-json";
import {
  type CreateContentLinkRequestSchema,
  CreateContentLinkResponseSchema,
} from "@stowage/api/stowage/v1/content_service_pb";
import { readBucketRef, readText } from "../access/request-fields.ts";
import type { Handler } from "../calls/handler.ts";
import type { DatabaseForCaller } from "../fairness/fair-pool.ts";
import { invalidField } from "../model/api-error.ts";
import { uploadIdBytesMax } from "../model/limits.ts";
import { findForCaller } from "./find-content.ts";
import { signedUrl } from "./signed-links.ts";

interface LinkOptions {
  readonly databaseFor: DatabaseForCaller;
  readonly linkKey: Uint8Array;
  /** Where content is served. */
  readonly contentOrigin: string;
}

const validSecondsDefault = 3600;
const validSecondsMax = 604_800;

/** `ContentService.CreateContentLink`. */
export function createContentLinkHandler(
  options: LinkOptions,
): Handler<typeof CreateContentLinkRequestSchema> {
  const { databaseFor, linkKey, contentOrigin } = options;
  return async (request, { caller, signal, record }) => {
    const bucketName = readBucketRef(request.bucketRef);
    const uploadId = readUploadId(request.uploadId);
    const validSeconds = readValidSeconds(request.expiresInSeconds);
    const { bucketId } = await databaseFor(caller).read({ signal, snapshot: true }, ({ run }) =>
      findForCaller(run, caller, bucketName, uploadId),
    );
    record.bucketId = bucketId;
    const expiresAtSeconds = Math.floor(Date.now() / 1000) + validSeconds;
    const link = { bucketId, uploadId, expiresAtSeconds, isAttachment: request.attachment };
    const response = create(CreateContentLinkResponseSchema, {
      url: signedUrl(contentOrigin, link, linkKey),
      expiresAt: timestampFromMs(expiresAtSeconds * 1000),
    });
    const json = Buffer.from(JSON.stringify(writeJson(CreateContentLinkResponseSchema, response)));
    return { json, release() {} };
  };
}

function readUploadId(uploadId: string): string {
  const { length } = Buffer.from(readText("uploadId", uploadId));
  if (length === 0 || length > uploadIdBytesMax) {
    throw invalidField("uploadId", `is ${length} bytes; need 1 to ${uploadIdBytesMax}`);
  }
  return uploadId;
}

function readValidSeconds(seconds: number): number {
  if (seconds < 0 || seconds > validSecondsMax) {
    throw invalidField(
      "expiresInSeconds",
      `is ${seconds}; need 1 to ${validSecondsMax}, or 0 for ${validSecondsDefault}`,
    );
  }
  return seconds === 0 ? validSecondsDefault : seconds;
}
