/** How levels of the tree are read and kept. */
import { queryOptions } from "@tanstack/react-query";
import { reasonOf } from "../api/call-error.ts";
import { callJson } from "../api/call-json.ts";
import { levelsOf } from "./folder-level.ts";
import { answerTooLarge, readLevel, readTreeWithin } from "./read-levels.ts";

/** Levels are read again when their bucket changes: see `buckets/bucket-changes.ts`. */
const staleMs = 10 * 60_000;

const kept = { staleTime: staleMs, refetchOnWindowFocus: false } as const;

/** The level of a folder. Fails with `FOLDER_NOT_FOUND`. */
export function folderLevelQuery(bucketId: string, path: string) {
  return queryOptions({
    queryKey: ["folder-level", bucketId, path],
    queryFn: ({ signal }) =>
      callTree({ bucketRef: { bucketId }, folder: { path }, maxDepth: 1 }, readLevel, signal),
    ...kept,
  });
}

/** About 3,000 folders. More would block the page, and are too many to look through. */
const matchesBytesMax = 2 * 1024 * 1024;

const tooLarge: readonly string[] = [answerTooLarge, "TREE_TOO_LARGE"];

/**
 * The folders under a folder whose path contains a text, and those that lead to them: levels by the
 * path of their folder. The service has to look at every folder for each call, so all levels are
 * read by one. If they are too large together, only the first is read.
 */
export function matchingFoldersQuery(bucketId: string, path: string, text: string) {
  const request = {
    bucketRef: { bucketId },
    folder: { path },
    pathFilter: { contains: text },
    onlyMatches: true,
  };
  return queryOptions({
    queryKey: ["folder-level", bucketId, path, text],
    queryFn: async ({ signal }) => {
      const readMatches = (response: Response) => readTreeWithin(matchesBytesMax, response);
      try {
        return levelsOf(await callTree(request, readMatches, signal), path);
      } catch (error) {
        if (!tooLarge.includes(reasonOf(error))) throw error;
        const level = await callTree({ ...request, maxDepth: 1 }, readLevel, signal);
        return new Map([[path, level]]);
      }
    },
    ...kept,
  });
}

function callTree<Answer>(
  request: object,
  read: (response: Response) => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  const method = "svc.api.v1.BucketFoldersService/ListFolderTree";
  return callJson({ method, request: { ...request, includeRollups: true }, read, signal });
}
