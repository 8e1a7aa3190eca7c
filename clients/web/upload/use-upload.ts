/** The upload that the address names. */
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { ListUploadsResponseSchema } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { go, useAddress } from "../address/use-address.ts";
import { callJson } from "../api/call-json.ts";
import { readAgain } from "../buckets/bucket-changes.ts";
import { findUpload, pathOf } from "./find-upload.ts";

const pageSize = 1000;
const order = { sortBy: "filename", sortOrder: "asc" };

/** As messages: the panel shows every field of them. */
async function listUploads(request: object, signal: AbortSignal) {
  const method = "svc.api.v1.BucketUploadsService/ListUploads";
  const answer = await callJson<JsonValue>({ method, request, signal });
  return fromJson(ListUploadsResponseSchema, answer, { ignoreUnknownFields: true });
}

/** The data is null if there is no such upload, or the reader may not see it. */
export function useUpload(bucketId: string, uploadId: string) {
  const { address } = useAddress();
  const { uploadPath, folder, isRecursive } = address;
  const query = useQuery({
    queryKey: keyOf(bucketId, uploadId, uploadPath),
    queryFn: ({ signal }) =>
      findUpload({ uploadId, uploadPath, folder, isRecursive }, (filters, cursor) =>
        listUploads({ bucketRef: { bucketId }, ...filters, ...order, pageSize, cursor }, signal),
      ),
  });
  usePathInAddress(bucketId, query.data ?? undefined);
  const client = useQueryClient();
  const isGone = query.data === null;
  useEffect(() => {
    // The list may still have it.
    if (isGone) readAgain(client, bucketId);
  }, [client, bucketId, isGone]);
  return query;
}

/** The path is part of the key, because uploads are found by name. */
function keyOf(bucketId: string, uploadId: string, uploadPath: string) {
  return ["upload", bucketId, uploadId, uploadPath] as const;
}

/** A link to the view needs the path of the upload. Lists that opened it may not have given it. */
function usePathInAddress(bucketId: string, upload: Upload | undefined): void {
  const { address } = useAddress();
  const client = useQueryClient();
  const uploadPath = upload === undefined ? "" : pathOf(upload);
  const isShown = upload !== undefined && address.upload === upload.uploadId;
  const isMissing = isShown && address.uploadPath !== uploadPath;
  useEffect(() => {
    if (!isMissing) return;
    // It need not be read again for the new address.
    client.setQueryData(keyOf(bucketId, upload.uploadId, uploadPath), upload);
    go({ uploadPath }, "replace");
  }, [client, bucketId, isMissing, upload, uploadPath]);
}
