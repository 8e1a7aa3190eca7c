/** The statement that finds folders `f` by the words of their paths. */
import { isInRanges, rangeParameters } from "../access/visibility.ts";
import { searchPattern } from "../model/name-pattern.ts";
import type { TreeKey } from "../model/tree-key.ts";
import type { TreeKeyRange } from "../model/tree-key-range.ts";
import type { QueryWord } from "../model/upload-query.ts";
import { escapeLike, likePattern } from "../search/name-conditions.ts";
import { folderNamePattern } from "../search/word-folders.ts";

interface FoldersOptions {
  readonly bucketNumber: number;
  readonly ranges: readonly TreeKeyRange[];
  readonly words: readonly QueryWord[];
  /** Whether the index of names finds the folders: they are few. */
  readonly isFew: boolean;
  readonly after: TreeKey | undefined;
  readonly limit: number;
}

const foldedPath = "coalesce(f.path_folded, uploads.path_of(f.tree_key, f.path))";
const folderName = "uploads.folder_name(f.tree_key, f.path, f.path_folded)";

/**
 * Whether a folder has all words in its path, and at least one of them ends in its name. Patterns
 * match the whole name, or the whole path if they have a slash.
 */
const hasWords = `(
  select bool_and(w.is_there <> w.is_excluded) and bool_or(w.is_there and w.ends_in_name)
  from (select ${foldedPath} offset 0) p (path)
  cross join lateral (
    select w.is_excluded,
      case w.kind
        when 'word' then p.path || '/' like w.pattern
        when 'name' then split_part(p.path, '/', -1) like w.pattern
        else p.path like w.pattern end as is_there,
      not w.is_excluded and (w.kind <> 'word' or ${folderName} like w.name_pattern) as ends_in_name
    from unnest(:words::text[], :kinds::text[], :namePatterns::text[], :excluded::boolean[])
      as w (pattern, kind, name_pattern, is_excluded)) w)`;

const allFolders = "uploads.folders f";

/** The folders whose names may have one of the words. */
const fewFolders = `(
  select distinct on (f.tree_key) f.* from unnest(:namePatterns::text[], :excluded::boolean[])
    as w (name_pattern, is_excluded)
  cross join lateral (
    select f.* from uploads.folders f
    where not w.is_excluded and f.bucket_number = :bucketNumber
      and ${folderName} like w.name_pattern) f
  order by f.tree_key) f`;

export function foldersStatement(columns: string, options: FoldersOptions) {
  const { bucketNumber, ranges, words, isFew, after, limit } = options;
  const text = `
    select ${columns} from ${isFew ? fewFolders : allFolders}
    where f.bucket_number = :bucketNumber and f.tree_key > :after
      and ${isInRanges("f.tree_key")} and ${hasWords}
    order by f.tree_key limit :limit`;
  const values = {
    ...{ bucketNumber, limit, after: after ?? "" },
    ...rangeParameters(ranges),
    words: words.map(patternOf),
    kinds: words.map(kindOf),
    namePatterns: words.map(({ text: word }) => folderNamePattern(word)),
    excluded: words.map(({ isExcluded }) => isExcluded),
  };
  return { text, values };
}

function patternOf({ text, isPattern }: QueryWord): string {
  return isPattern ? likePattern(searchPattern(text)) : `%${escapeLike(text)}%`;
}

function kindOf({ text, isPattern }: QueryWord): "word" | "name" | "path" {
  if (!isPattern) return "word";
  return text.includes("/") ? "path" : "name";
}
