/** The upload that the address names. */
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { go, useAddress } from "../address/use-address.ts";
import { uploadsClient } from "../api/clients.ts";
import { findUpload, pathOf } from "./find-upload.ts";

const pageSize = 1000;

/** The data is null if there is no such upload, or the reader may not see it. */
export function useUpload(bucketId: string, uploadId: string) {
  const { address } = useAddress();
  const { uploadPath, folder, isRecursive } = address;
  const query = useQuery({
    queryKey: ["upload", bucketId, uploadId],
    queryFn: ({ signal }) =>
      findUpload({ uploadId, uploadPath, folder, isRecursive }, (filters, cursor) =>
        uploadsClient.listUploads(
          {
            bucketRef: { reference: { case: "bucketId", value: bucketId } },
            ...filters,
            sortBy: "filename",
            sortOrder: "asc",
            pageSize,
            cursor,
          },
          { signal },
        ),
      ),
  });
  usePathInAddress(query.data ?? undefined);
  return query;
}

/** A link to the view needs the path of the upload. Lists that opened it may not have given it. */
function usePathInAddress(upload: Upload | undefined): void {
  const { address } = useAddress();
  const uploadPath = upload === undefined ? "" : pathOf(upload);
  const isShown = upload !== undefined && address.upload === upload.uploadId;
  const isMissing = isShown && address.uploadPath !== uploadPath;
  useEffect(() => {
    if (isMissing) go({ uploadPath }, "replace");
  }, [isMissing, uploadPath]);
}
