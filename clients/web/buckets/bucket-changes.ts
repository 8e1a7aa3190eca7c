/** When what is shown of a bucket is read again. */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
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
    // To ask again for a folder that does not exist would replace that message for a moment.
    predicate: ({ state }) => state.error === null || reasonOf(state.error) !== "FOLDER_NOT_FOUND",
  });
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
    if (before !== undefined && before !== marker) readAgain(client, bucketId);
  }, [client, bucketId, marker]);
}
