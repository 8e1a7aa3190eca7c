import { defaultAddress } from "../address/address.ts";
import { AddressLink } from "../address/address-link.tsx";
import type { Bucket } from "./bucket.ts";

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
