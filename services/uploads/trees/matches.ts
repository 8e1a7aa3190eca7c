import { isShownTo, isUploadInRanges } from "../access/visibility.ts";
import type { NamePattern } from "../model/name-pattern.ts";
import type { TreeKey } from "../model/tree-key.ts";
import type { RunQuery } from "../postgres/statements.ts";
import { indexFetchQueries, isFetchTruncated } from "../search/index-fetch.ts";
import { foldedNameMatches, nameParameters } from "../search/name-conditions.ts";
import { searchedPattern } from "../search/search-words.ts";
import { scopeParameters, type TreeScope } from "./ranges.ts";

/** The most uploads that the index fetch reads. */
export const matchesMax = 5000;
const sampledRows = 1000;
/** The most matches in the sample with which the index fetch is tried. */
const sampledMax = 20;

/**
 * The folders that directly hold an upload with a matching name that the caller may see. Undefined
 * when the index of names cannot answer, or the name may be too common.
 */
export async function findFoldersWithMatches(
  run: RunQuery,
  scope: TreeScope,
  name: NamePattern,
): Promise<TreeKey[] | undefined> {
  if (name.text.includes("/")) return [];
  const pattern = searchedPattern(name);
  if (pattern === undefined) return undefined;
  const [found] = await run<{ is_truncated: boolean; folders: TreeKey[] }>(
    `with ${indexFetchQueries}
    select ${isFetchTruncated} as is_truncated,
      array(
        select f.tree_key from (
          select distinct u.tree_position from fetched u
          where ${isUploadInRanges} and ${isShownTo(scope.visibility)} and ${foldedNameMatches}) m
        join uploads.folders f
          on f.bucket_number = :bucketNumber and f.tree_position = m.tree_position) as folders`,
    {
      ...scopeParameters(scope),
      ...nameParameters(name),
      ...{ searchedPattern: pattern, sampledRows, sampledMax, fetchedMax: matchesMax },
    },
  );
  return found?.is_truncated === false ? found.folders : undefined;
}
