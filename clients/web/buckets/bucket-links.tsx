import type { Bucket } from "@stowage/api/stowage/v1/buckets_service_pb";
import { defaultAddress } from "../address/address.ts";
import { AddressLink } from "../address/address-link.tsx";

/** More are in the list of the header. */
const linksMax = 20;

/** Ways on from a bucket that does not exist. */
export function BucketLinks({ buckets }: { readonly buckets: readonly Bucket[] }) {
  return (
    <ul>
      {buckets.slice(0, linksMax).map(({ bucketId, hostname }) => (
        <li key={bucketId}>
          <AddressLink change={{ ...defaultAddress, bucket: hostname }}>
            <bdi>{hostname}</bdi>
          </AddressLink>
        </li>
      ))}
    </ul>
  );
}
