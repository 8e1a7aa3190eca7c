/** When what is shown of a bucket is read again. */
import { type Query, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { reasonOf } from "../api/call-error.ts";
import { type Bucket, markerOf } from "./bucket.ts";

/** Has lists read again, which are not queries. The type of an event is the ID of a bucket. */
const refreshes = new EventTarget();

/** Has everything that is shown of the bucket read again: the list, the tree, and the panel. */
export function readAgain(client: QueryClient, bucketId: string): void {
  refreshes.dispatchEvent(new Event(bucketId));
  void client.invalidateQueries({ queryKey: ["upload", bucketId] });
  void client.invalidateQueries({
    queryKey: ["folder-level", bucketId],
    predicate: (query) => !isMissing(query),
  });
}

function isMissing({ state: { error } }: Query): boolean {
  return error !== null && reasonOf(error) === "FOLDER_NOT_FOUND";
}

/**
 * Looks for folders that were not found: they may be there now. To read their queries again would
 * replace that message for a moment, so other queries do it.
 */
export async function lookForMissing(client: QueryClient, bucketId: string): Promise<void> {
  const missing = client.getQueryCache().findAll({
    queryKey: ["folder-level", bucketId],
    type: "active",
    predicate: isMissing,
  });
  const look = async ({ queryKey, options: { queryFn } }: Query) => {
    if (queryFn === undefined) return;
    const level = await client.fetchQuery({
      queryKey: ["missing", ...queryKey],
      queryFn,
      gcTime: 0,
    });
    client.setQueryData(queryKey, level);
  };
  await Promise.allSettled(missing.map(look));
}

/** Calls `refresh` when a list of the bucket should be read again. */
export function useRefreshes(bucketId: string, refresh: () => void): void {
  const onRefresh = useEffectEvent(refresh);
  useEffect(() => {
    const listener = () => onRefresh();
    refreshes.addEventListener(bucketId, listener);
    return () => refreshes.removeEventListener(bucketId, listener);
  }, [bucketId]);
}

/** Has the bucket read again when something in it may have changed. */
export function useBucketChanges(bucket: Bucket | undefined): void {
  const client = useQueryClient();
  const bucketId = bucket?.bucketId ?? "";
  const marker = bucket === undefined ? undefined : markerOf(bucket);
  /** By the IDs of buckets: one that is shown later may have changed meanwhile. */
  const seen = useRef(new Map<string, string>());
  useEffect(() => {
    if (marker === undefined) return;
    const before = seen.current.get(bucketId);
    seen.current.set(bucketId, marker);
    if (before === undefined || before === marker) return;
    readAgain(client, bucketId);
    void lookForMissing(client, bucketId);
  }, [client, bucketId, marker]);
}
