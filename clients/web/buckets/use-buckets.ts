/** The buckets that the reader may see, by host name. */
import {
  type Bucket,
  type ListBucketsResponse,
  SourceState,
} from "@stowage/api/stowage/v1/buckets_service_pb";
import { useQuery } from "@tanstack/react-query";
import { isPassing } from "../api/call-error.ts";
import { bucketsClient } from "../api/clients.ts";

const pageSize = 1000;
/** Nobody finds a bucket in a longer list. */
const bucketsMax = 10_000;

/** The states of sources, and totals, are read again after so long: sooner while a sync runs. */
const runningRefreshMs = 3000;
const refreshMs = 30_000;
const failedRetryMs = 5000;

async function listBuckets({ signal }: { signal: AbortSignal }): Promise<readonly Bucket[]> {
  const buckets: Bucket[] = [];
  let cursor = "";
  do {
    const page: ListBucketsResponse = await bucketsClient.listBuckets(
      { pageSize, cursor },
      { signal },
    );
    buckets.push(...page.buckets);
    cursor = page.nextCursor;
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
      if (state.error !== null) return isPassing(state.error) ? failedRetryMs : false;
      const isRunning = state.data?.some(({ sources }) =>
        sources.some((source) => source.state === SourceState.RUNNING),
      );
      return isRunning ? runningRefreshMs : refreshMs;
    },
  });
}
