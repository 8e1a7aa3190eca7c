import { isInRanges, isShownTo } from "../access/visibility.ts";
import type { NamePattern } from "../model/name-pattern.ts";
import type { TreeKey } from "../model/tree-key.ts";
import type { RunQuery } from "../postgres/statements.ts";
import { filterTextMatches, foldedNameMatches, nameParameters } from "../search/name-conditions.ts";
import { nameSearch } from "../search/terms.ts";
import { scopeParameters, type TreeScope } from "./ranges.ts";

/** The most uploads that the index fetch reads. */
export const matchesMax = 5000;
/**
 * Uploads in the sample that is read first, because the fetch of a common name would take long. As
 * for lists, half of it is from each end: an import may have put other names at one of them.
 */
const sampleSize = 1000;
/** The most matches in the sample with which the index fetch is tried. */
const commonMax = 20;

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
  const [found] = await run<{ is_truncated: boolean; folders: TreeKey[] }>(
    `with search as materialized (${termsUnlessCommon}),
    fetched as materialized (
      select u.bucket_id, u.folder_key, u.filename_folded, u.slug_folded,
        u.integration_id, u.integration_hidden
      from uploads.uploads u
      where u.bucket_id = :bucketId and uploads.upload_terms(
        u.bucket_id, u.filename_folded, u.slug_folded, u.tags, u.folder_key)
        @@ (select s.terms from search s)
      limit ${matchesMax + 1})
    select (select s.terms is null from search s)
        or (select count(*) from fetched) > ${matchesMax} as is_truncated,
      array(select distinct u.folder_key from fetched u
        where ${isInRanges("u.folder_key")} and ${isShownTo(scope.visibility)}
          and ${foldedNameMatches}) as folders`,
    { ...scopeParameters(scope), ...nameParameters(name), terms },
  );
  return found?.is_truncated === false ? found.folders : undefined;
}

const termsUnlessCommon = `
  select case when count(*) filter (where ${filterTextMatches()}) <= ${commonMax}
    then :terms::tsquery end as terms
  from (
    (select u.filter_text from uploads.uploads u where u.bucket_id = :bucketId
     order by u."order", u.upload_id limit ${sampleSize / 2})
    union all
    (select u.filter_text from uploads.uploads u where u.bucket_id = :bucketId
     order by u."order" desc, u.upload_id desc limit ${sampleSize / 2})) u`;
