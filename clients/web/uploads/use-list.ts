/** The list that the address describes, read as it is looked at. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import type { Address } from "../address/address.ts";
import type { Bucket } from "../buckets/bucket.ts";
import { useRefreshes } from "../buckets/bucket-changes.ts";
import type { FolderLevel } from "../folders/folder-level.ts";
import { folderLevelQuery } from "../folders/folder-level-query.ts";
import { firstFoldersMax, foundFoldersQuery } from "../folders/found-folders.ts";
import { useSession } from "../session/session.ts";
import { ListEntries, sortedFolders } from "./list-entries.ts";
import { isSearch, type ListQuery, listQueryOf } from "./list-query.ts";
import type { ListReader } from "./list-reader.ts";
import { retryDelayMs } from "./retry-delay.ts";
import type { UploadRow } from "./upload-row.ts";
import { createReader } from "./uploads-reader.ts";

export interface ShownList {
  /** The address that the list belongs to: the former one while a new list is read. */
  readonly address: Address;
  readonly reader: ListReader<UploadRow>;
  readonly entries: ListEntries;
  readonly level: FolderLevel | undefined;
  readonly foundFolders: FoundFoldersState;
  /** Whether this is still the former list. */
  readonly isFormer: boolean;
  readonly hasAnswer: boolean;
  readonly error: unknown;
}

/** How many folders a search has found, and whether more than the first are in the list. */
interface FoundFoldersState {
  readonly count: number;
  /** Whether there are more than those that were counted. */
  readonly hasMore: boolean;
  readonly isAllShown: boolean;
  readonly toggle: () => void;
}

export function useList({ bucketId }: Bucket, address: Address): ShownList {
  const client = useQueryClient();
  const key = JSON.stringify(listQueryOf(bucketId, address));
  const reader = useMemo(() => createReader(client, JSON.parse(key) as ListQuery), [client, key]);
  useEffect(() => {
    reader.start();
    return () => reader.stop();
  }, [reader]);
  useRefreshes(bucketId, () => reader.refresh());
  const state = useSyncExternalStore(reader.subscribe, reader.state);
  const level = useQuery(folderLevelQuery(bucketId, address.folder));
  const found = useQuery(foundFoldersQuery(bucketId, address));

  // The former list stays until the new one has an answer: an empty list would flicker.
  const isReady =
    (state.list.hasAnswer && !level.isPending && !found.isPending) || state.error !== undefined;
  const [shown, setShown] = useState({ reader, address });
  if (isReady && (shown.reader !== reader || shown.address !== address)) {
    setShown({ reader, address });
  }
  const shownState = useSyncExternalStore(shown.reader.subscribe, shown.reader.state);
  const shownLevel = useQuery(folderLevelQuery(bucketId, shown.address.folder));
  const shownFound = useQuery(foundFoldersQuery(bucketId, shown.address));

  useRetry(shown.reader, shownState.error);

  const total = expectedTotal(shown.address, shownLevel.data);
  useEffect(() => {
    if (total !== undefined) shown.reader.setExpectedTotal(total);
  }, [shown, total]);

  const { query } = shown.address;
  const [queryWithAll, setQueryWithAll] = useState<string>();
  const isAllShown = query === queryWithAll;
  const entries = useMemo(() => {
    const folders = isSearch(shown.address)
      ? shownFound.data?.folders.slice(0, isAllShown ? undefined : firstFoldersMax)
      : sortedFolders(shownLevel.data?.folders ?? [], shown.address);
    return new ListEntries(folders ?? [], shownState.list);
  }, [shownLevel.data, shownFound.data, shown.address, shownState, isAllShown]);
  return {
    ...shown,
    entries,
    level: shownLevel.data,
    foundFolders: {
      count: shownFound.data?.folders.length ?? 0,
      hasMore: shownFound.data?.hasMore === true,
      isAllShown,
      toggle: () => setQueryWithAll(isAllShown ? undefined : query),
    },
    isFormer: shown.reader !== reader,
    // Folders that came after the uploads would move them away under the pointer.
    hasAnswer: shownState.list.hasAnswer && !shownLevel.isPending && !shownFound.isPending,
    error: shownState.error,
  };
}

/** Retries temporary failures, and what failed while nobody was signed in. */
function useRetry(reader: ListReader<UploadRow>, error: unknown): void {
  const { data: session } = useSession();
  const isSignedIn = session !== undefined && session !== null;
  useEffect(() => {
    const delayMs = retryDelayMs(error, isSignedIn);
    if (delayMs === undefined) return;
    const timer = window.setTimeout(() => reader.retry(), delayMs);
    return () => window.clearTimeout(timer);
  }, [reader, error, isSignedIn]);
}

/** How many uploads the list has by the totals of its folder; undefined if they do not say. */
function expectedTotal(address: Address, level: FolderLevel | undefined): number | undefined {
  if (level === undefined || isSearch(address)) return undefined;
  if (address.isRecursive) return level.totals.uploadCount;
  return level.folders.reduce(
    (count, { totals }) => count - totals.uploadCount,
    level.totals.uploadCount,
  );
}
