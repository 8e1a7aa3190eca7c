/** The folder tree of a bucket: which folders are open, their levels, and the rows that result. */
import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isUnauthenticated, reasonOf } from "../api/call-error.ts";
import { folderLevelQuery } from "./folder-level-query.ts";
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
  const client = useQueryClient();
  const [toggled, toggle] = useToggled(folder, filter);
  const levelsWith = (text: string) => (path: string) =>
    client.getQueryData(folderLevelQuery(bucketId, path, text).queryKey);

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

  const paths = new Set(shown === filter ? open : []);
  paths.add("/");
  // All levels on the way to the folder are read at once, not one after the other.
  if (filter === "") for (const path of ancestorsOf(folder)) paths.add(path);
  // The levels are read from the cache above: subscribing is what matters here.
  const results = useQueries({
    queries: Array.from(paths, (path) => folderLevelQuery(bucketId, path, filter)),
  });
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
