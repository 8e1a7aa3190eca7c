/** The folder tree of a bucket: which folders are open, their levels, and the rows that result. */
import { type NotifyOnChangeProps, useQueries, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isUnauthenticated, reasonOf } from "../api/call-error.ts";
import { folderLevelQuery, matchingFoldersQuery } from "./folder-level-query.ts";
import { ancestorsOf } from "./folder-path.ts";
import { openFoldersOf, rowsOf, type Tree, type TreeRow } from "./tree-rows.ts";

type Toggled = ReadonlyMap<string, boolean>;
const untouched: Toggled = new Map();

interface ShownTree {
  readonly rows: readonly TreeRow[];
  /** What the rows are filtered by: the previous text until there is an answer for the new one. */
  readonly filter: string;
  readonly isLoading: boolean;
  /** The first call that failed, and a way to repeat the failed calls. */
  readonly error: Error | undefined;
  readonly retry: () => void;
  readonly toggle: (path: string, isOpen: boolean) => void;
}

export function useTree(bucketId: string, folder: string, filter: string): ShownTree {
  const [toggled, toggle] = useToggled(folder, filter);
  const levelsWith = useKeptLevels(bucketId);

  const [previous, setPrevious] = useState("");
  const isArrived = levelsWith(filter)("/") !== undefined;
  if (isArrived && previous !== filter) setPrevious(filter);
  const shown = isArrived ? filter : previous;
  const tree: Tree = {
    levelOf: levelsWith(shown),
    toggled: shown === filter ? toggled : untouched,
    isFiltered: shown !== "",
  };
  const open = openFoldersOf(tree);

  const results = useReading(bucketId, folder, filter, shown === filter ? open : new Set());
  // The page says itself that the folder of the address does not exist, and what has ended.
  const failed = results.filter(({ error }) => {
    return error !== null && !isUnauthenticated(error) && reasonOf(error) !== "FOLDER_NOT_FOUND";
  });
  return {
    rows: rowsOf(tree, open),
    filter: shown,
    isLoading: results.some(({ isLoading }) => isLoading),
    error: failed[0]?.error ?? undefined,
    retry: () => {
      for (const { refetch } of failed) void refetch();
    },
    toggle,
  };
}

/** The levels that were read, by the text of their filter and the path of their folder. */
function useKeptLevels(bucketId: string) {
  const client = useQueryClient();
  return (text: string) => (path: string) => {
    if (text === "") return client.getQueryData(folderLevelQuery(bucketId, path).queryKey);
    for (const above of [path, ...ancestorsOf(path).toReversed()]) {
      const levels = client.getQueryData(matchingFoldersQuery(bucketId, above, text).queryKey);
      const level = levels?.get(path);
      if (level !== undefined) return level;
    }
    return undefined;
  };
}

/**
 * When the tree is drawn again. Queries notice by themselves only what is used of their results,
 * but the data of levels is used from the cache.
 */
const notifyOnChangeProps: NotifyOnChangeProps = ["data", "error", "isLoading"];

/** Has the levels of the open folders read. */
function useReading(bucketId: string, folder: string, filter: string, open: ReadonlySet<string>) {
  const client = useQueryClient();
  // All levels on the way to the folder are read at once, not one after the other.
  const plain = filter === "" ? ["/", ...open, ...ancestorsOf(folder)] : [];
  // What was read for a folder has the levels under it, unless there are too many.
  const hasLevel = (above: string, path: string) =>
    client.getQueryData(matchingFoldersQuery(bucketId, above, filter).queryKey)?.has(path) === true;
  const isTop = (path: string) => !ancestorsOf(path).some((above) => hasLevel(above, path));
  const filtered = filter === "" ? [] : ["/", ...open].filter(isTop);
  const plainResults = useQueries({
    queries: Array.from(new Set(plain), (path) => {
      const query = folderLevelQuery(bucketId, path);
      // Those that are here are kept up to date by `useLevelsInSight`.
      const enabled = client.getQueryData(query.queryKey) === undefined;
      return { ...query, enabled, notifyOnChangeProps };
    }),
  });
  const filteredResults = useQueries({
    queries: Array.from(new Set(filtered), (path) => ({
      ...matchingFoldersQuery(bucketId, path, filter),
      notifyOnChangeProps,
    })),
  });
  return [...plainResults, ...filteredResults];
}

/**
 * What the reader opened and closed. Without a filter it stays, and the way to the folder of the
 * address opens whenever that changes; each filter begins anew.
 */
function useToggled(folder: string, filter: string) {
  const [unfiltered, setUnfiltered] = useState<Toggled>(untouched);
  const [filtered, setFiltered] = useState({ filter, toggled: untouched });
  const [revealed, setRevealed] = useState("/");
  if (revealed !== folder) {
    setRevealed(folder);
    setUnfiltered(new Map([...unfiltered, ...ancestorsOf(folder).map(opened)]));
  }
  const own = filtered.filter === filter ? filtered.toggled : untouched;
  const toggle = (path: string, isOpen: boolean) => {
    if (filter === "") setUnfiltered(new Map([...unfiltered, [path, isOpen]]));
    else setFiltered({ filter, toggled: new Map([...own, [path, isOpen]]) });
  };
  return [filter === "" ? unfiltered : own, toggle] as const;
}

function opened(path: string) {
  return [path, true] as const;
}
