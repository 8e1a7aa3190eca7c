import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Bucket } from "./bucket.ts";

/** Reads the levels of the tree again when the totals of their bucket have changed. */
export function useBucketChanges(bucket: Bucket | undefined): void {
  const client = useQueryClient();
  const totals = bucket && `${bucket.bucketId} ${bucket.uploadCount} ${bucket.sizeBytes}`;
  const seen = useRef(totals);
  useEffect(() => {
    const before = seen.current;
    seen.current = totals;
    if (before === undefined || totals === undefined || before === totals) return;
    const bucketId = totals.split(" ", 1)[0];
    if (bucketId !== before.split(" ", 1)[0]) return;
    void client.invalidateQueries({ queryKey: ["folder-level", bucketId] });
  }, [client, totals]);
}
