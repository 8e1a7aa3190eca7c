/** How levels of the tree are read and kept. */
import { queryOptions } from "@tanstack/react-query";
import { callJson } from "../api/call-json.ts";
import { type FolderLevel, type JsonTree, levelOf } from "./folder-level.ts";

/** Levels are read again when their bucket changes: see `buckets/use-bucket-changes.ts`. */
const staleMs = 10 * 60_000;

/**
 * The level of a folder. With a filter, only folders whose path contains the text, and those that
 * lead to them. Fails with `FOLDER_NOT_FOUND`.
 */
export function folderLevelQuery(bucketId: string, path: string, filter = "") {
  return queryOptions({
    queryKey: ["folder-level", bucketId, path, filter],
    queryFn: async ({ signal }): Promise<FolderLevel> => {
      const request = {
        bucketRef: { bucketId },
        folder: { path },
        maxDepth: 1,
        includeRollups: true,
        ...(filter !== "" && {
          pathFilter: { contains: filter },
          onlyMatches: true,
        }),
      };
      const method = "svc.api.v1.BucketFoldersService/ListFolderTree";
      return levelOf(await callJson<JsonTree>({ method, request, signal }));
    },
    staleTime: staleMs,
    refetchOnWindowFocus: false,
  });
}
