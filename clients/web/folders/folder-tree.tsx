import type { Bucket } from "@stowage/api/stowage/v1/buckets_service_pb";
import { useQuery } from "@tanstack/react-query";
import { go, useAddress } from "../address/use-address.ts";
import { foldersClient } from "../api/clients.ts";

export function FolderTree({ bucket }: { bucket: Bucket }) {
  const { address } = useAddress();
  const { data } = useQuery({
    queryKey: ["folders", bucket.bucketId, address.folder],
    queryFn: ({ signal }) =>
      foldersClient.listFolderTree(
        {
          bucketRef: { reference: { case: "bucketId", value: bucket.bucketId } },
          folder: { reference: { case: "path", value: address.folder } },
          maxDepth: 1,
        },
        { signal },
      ),
  });
  return (
    <ul>
      {data?.children.map(({ folder }) => (
        <li key={folder?.folderId}>
          <button type="button" onClick={() => go({ folder: folder?.path ?? "/" })}>
            {folder?.path}
          </button>
        </li>
      ))}
    </ul>
  );
}
