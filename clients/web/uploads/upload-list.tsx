import type { Bucket } from "@stowage/api/stowage/v1/buckets_service_pb";
import { useQuery } from "@tanstack/react-query";
import { useAddress } from "../address/use-address.ts";
import { uploadsClient } from "../api/clients.ts";
import { formatName } from "../text/format.ts";

export function UploadList({ bucket }: { bucket: Bucket }) {
  const { address } = useAddress();
  const { data } = useQuery({
    queryKey: ["uploads", bucket.bucketId, address.folder],
    queryFn: ({ signal }) =>
      uploadsClient.listUploads(
        {
          bucketRef: { reference: { case: "bucketId", value: bucket.bucketId } },
          path: address.folder,
        },
        { signal },
      ),
  });
  return (
    <ul>
      {data?.uploads.map(({ uploadId, filename }) => (
        <li key={uploadId}>{formatName(filename)}</li>
      ))}
    </ul>
  );
}
