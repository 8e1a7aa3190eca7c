import { isInRanges, isShownTo } from "../access/visibility.ts";
import type { NamePattern } from "../model/name-pattern.ts";
import type { TreeKey } from "../model/tree-key.ts";
import type { RunQuery } from "../postgres/statements.ts";
import { indexFetchQueries, isFetchTruncated } from "../search/index-fetch.ts";
import { foldedNameMatches, nameHasTexts, nameParameters } from "../search/name-conditions.ts";
import { nameSearch } from "../search/terms.ts";
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
  const terms = name.caseSensitive ? undefined : nameSearch(name, scope.bucketId);
  if (terms === undefined) return undefined;
  const fetched = indexFetchQueries({
    isFound: nameHasTexts,
    terms: ":terms::tsquery",
    columns: `u.bucket_id, u.folder_key, u.filename, u.filename_folded, u.slug, u.slug_folded,
      u.integration_id, u.integration_hidden`,
  });
  const [found] = await run<{ is_truncated: boolean; folders: TreeKey[] }>(
    `with ${fetched}
    select ${isFetchTruncated} as is_truncated,
      array(select distinct u.folder_key from fetched u
        where ${isInRanges("u.folder_key")} and ${isShownTo(scope.visibility)}
          and ${foldedNameMatches}) as folders`,
    {
      ...scopeParameters(scope),
      ...nameParameters(name),
      ...{ terms, sampledRows, sampledMax, fetchedMax: matchesMax },
    },
  );
  return found?.is_truncated === false ? found.folders : undefined;
}
