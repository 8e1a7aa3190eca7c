import type { Bucket } from "@stowage/api/stowage/v1/buckets_service_pb";

export function SpaceChart({ bucket }: { bucket: Bucket }) {
  return <p>{bucket.hostname}</p>;
}
