/** The upload that the address names. */
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { GetUploadResponseSchema } from "@stowage/api/stowage/v1/uploads_service_pb";
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { reasonOf } from "../api/call-error.ts";
import { callJson } from "../api/call-json.ts";
import { readAgain } from "../buckets/bucket-changes.ts";

/** The data is null if there is no such upload, or the reader may not see it. */
export function useUpload(bucketId: string, uploadId: string) {
  const query = useQuery({
    queryKey: ["upload", bucketId, uploadId],
    queryFn: ({ signal }) => getUpload({ bucketRef: { bucketId }, uploadId }, signal),
  });
  const client = useQueryClient();
  const isGone = query.data === null;
  useEffect(() => {
    // The list may still have it.
    if (isGone) readAgain(client, bucketId);
  }, [client, bucketId, isGone]);
  return query;
}

/** As a message: the panel shows every field of it. */
async function getUpload(request: object, signal: AbortSignal): Promise<Upload | null> {
  const method = "stowage.v1.UploadsService/GetUpload";
  try {
    const answer = await callJson<JsonValue>({ method, request, signal });
    const { upload } = fromJson(GetUploadResponseSchema, answer, { ignoreUnknownFields: true });
    return upload ?? null;
  } catch (error) {
    if (reasonOf(error) === "UPLOAD_NOT_FOUND") return null;
    throw error;
  }
}
