/** The buckets that the reader may see, by host name. */
import type { Bucket } from "@stowage/api/stowage/v1/buckets_service_pb";
import { useQuery } from "@tanstack/react-query";
import { bucketsClient } from "../api/clients.ts";

const bucketsMax = 1000;

async function listBuckets({ signal }: { signal: AbortSignal }): Promise<Bucket[]> {
  const { buckets } = await bucketsClient.listBuckets({ pageSize: bucketsMax }, { signal });
  return buckets;
}

export function useBuckets() {
  return useQuery({ queryKey: ["buckets"], queryFn: listBuckets });
}
