import type { Bucket } from "@stowage/api/stowage/v1/buckets_service_pb";
import { contentClient } from "../api/clients.ts";
import { strings } from "../text/strings.ts";

export function UploadPanel({ bucket, uploadId }: { bucket: Bucket; uploadId: string }) {
  const copyLink = async () => {
    const { url } = await contentClient.createContentLink({
      bucketRef: { reference: { case: "bucketId", value: bucket.bucketId } },
      uploadId,
    });
    await navigator.clipboard.writeText(url);
  };
  return (
    <button type="button" onClick={() => void copyLink()}>
      {strings.upload.copyDownloadLink}
    </button>
  );
}
