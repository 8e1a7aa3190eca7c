import { useQueries } from "@tanstack/react-query";
import { folderLevelQuery } from "./folder-level-query.ts";
import { parentOf } from "./folder-path.ts";
import type { TreeRow } from "./tree-rows.ts";

/**
 * Has the levels that the rows in sight belong to read again when their bucket changes. To read all
 * open folders again would take a call for each of them; others are read when they come into sight.
 */
export function useLevelsInSight(bucketId: string, rows: readonly TreeRow[]): void {
  const paths = rows.flatMap(({ path, isExpanded }) =>
    isExpanded ? [parentOf(path), path] : [parentOf(path)],
  );
  useQueries({
    queries: Array.from(new Set(paths), (path) => ({
      ...folderLevelQuery(bucketId, path),
      // The tree notices new levels by itself.
      notifyOnChangeProps: [],
    })),
  });
}
