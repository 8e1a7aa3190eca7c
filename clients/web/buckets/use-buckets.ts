/** The buckets that the reader may see, by host name. */
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { callJson } from "../api/call-json.ts";
import { type Bucket, bucketOf, type JsonBucket } from "./bucket.ts";
import { refreshIntervalMs } from "./refresh-interval.ts";

const pageSize = 1000;
/** Nobody finds a bucket in a longer list. */
const bucketsMax = 10_000;

const method = "stowage.v1.BucketsService/ListBuckets";

interface Answer {
  readonly buckets?: readonly JsonBucket[];
  readonly nextCursor?: string;
}

async function listBuckets(signal: AbortSignal): Promise<readonly Bucket[]> {
  const buckets: Bucket[] = [];
  let cursor = "";
  do {
    const request = { pageSize, cursor };
    const page: Answer = await callJson({ method, request, signal });
    for (const bucket of page.buckets ?? []) buckets.push(bucketOf(bucket));
    cursor = page.nextCursor ?? "";
  } while (cursor !== "" && buckets.length < bucketsMax);
  return buckets;
}

/** With `isPaused`, they are not read again by themselves. */
export function useBuckets(isPaused: boolean) {
  const durationMs = useRef(0);
  return useQuery({
    queryKey: ["buckets"],
    queryFn: async ({ signal }) => {
      const beganAtMs = performance.now();
      const buckets = await listBuckets(signal);
      durationMs.current = performance.now() - beganAtMs;
      return buckets;
    },
    refetchInterval: ({ state: { data: buckets, error } }) =>
      !isPaused && refreshIntervalMs({ buckets, error, durationMs: durationMs.current }),
  });
}
