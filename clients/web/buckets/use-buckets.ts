/** The buckets that the reader may see, by host name. */
import { useQuery } from "@tanstack/react-query";
import { isTemporary } from "../api/call-error.ts";
import { callJson } from "../api/call-json.ts";
import { type Bucket, bucketOf, type JsonBucket } from "./bucket.ts";
import { runningState } from "./source-states.ts";

const pageSize = 1000;
/** Nobody finds a bucket in a longer list. */
const bucketsMax = 10_000;

/** The states of sources, and totals, are read again after so long: sooner while a sync runs. */
const runningRefreshMs = 3000;
const refreshMs = 30_000;
const failedRetryMs = 5000;

const method = "stowage.v1.BucketsService/ListBuckets";

interface Answer {
  readonly buckets?: readonly JsonBucket[];
  readonly nextCursor?: string;
}

async function listBuckets({ signal }: { signal: AbortSignal }): Promise<readonly Bucket[]> {
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
  return useQuery({
    queryKey: ["buckets"],
    queryFn: listBuckets,
    refetchInterval: ({ state }) => {
      if (isPaused) return false;
      if (state.error !== null && isTemporary(state.error)) return failedRetryMs;
      const isRunning = state.data?.some(({ sources }) =>
        sources.some((source) => source.state === runningState),
      );
      return isRunning ? runningRefreshMs : refreshMs;
    },
  });
}
