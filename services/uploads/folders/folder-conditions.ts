/** The statement that finds folders `f` by the words of their paths. */
import { isInRanges, rangeParameters } from "../access/visibility.ts";
import { searchPattern } from "../model/name-pattern.ts";
import type { TreeKey } from "../model/tree-key.ts";
import type { TreeKeyRange } from "../model/tree-key-range.ts";
import type { QueryWord } from "../model/upload-query.ts";
import { escapeLike, likePattern } from "../search/name-conditions.ts";
import { folderNamePattern, noPosition } from "../search/word-folders.ts";

/**
 * Where folders are looked for: among those whose names have a word, if these are few for every
 * word; below those that have one of the words, as a multirange of positions; or among all.
 */
export type FolderSource = "names" | { readonly positions: string } | "all";

interface FoldersOptions {
  readonly bucketNumber: number;
  readonly ranges: readonly TreeKeyRange[];
  readonly words: readonly QueryWord[];
  readonly from: FolderSource;
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

/**
 * The folders whose names may have one of the words. `offset 0` keeps the order out of the search:
 * the planner would rather read all folders in order than sort some.
 */
const foldersByName = `
  (select distinct d.tree_key from unnest(:namePatterns::text[], :excluded::boolean[])
    as w (name_pattern, is_excluded)
  cross join lateral (
    select f.tree_key from uploads.folders f
    where not w.is_excluded and f.bucket_number = :bucketNumber
      and ${folderName} like w.name_pattern
    offset 0) d) found
  cross join lateral (
    select f.* from uploads.folders f
    where f.bucket_number = :bucketNumber and f.tree_key = found.tree_key
    offset 0) f`;

/** The ranges are in the order of paths, so that only the folders of each are sorted. */
const foldersInPositions = `
  unnest(:positions::int8multirange) with ordinality r (positions, number)
  cross join lateral (
    select f.* from uploads.folders f
    where f.bucket_number = :bucketNumber and f.tree_position >= lower(r.positions)
      and f.tree_position < upper(r.positions)
    order by f.tree_position offset 0) f`;

export function foldersStatement(columns: string, options: FoldersOptions) {
  const { bucketNumber, ranges, words, from, after, limit } = options;
  const source = sourceOf(from);
  const text = `
    select ${columns} from ${source.text}
    where f.bucket_number = :bucketNumber and f.tree_key > :after
      and ${isInRanges("f.tree_key")} and ${hasWords}
    order by ${source.orderBy} limit :limit`;
  const values = {
    ...{ bucketNumber, limit, after: after ?? "" },
    ...rangeParameters(ranges),
    words: words.map(patternOf),
    kinds: words.map(kindOf),
    namePatterns: words.map(({ text: word }) => folderNamePattern(word)),
    excluded: words.map(({ isExcluded }) => isExcluded),
    positions: typeof from === "object" ? from.positions : noPosition,
  };
  return { text, values };
}

function sourceOf(from: FolderSource): { readonly text: string; readonly orderBy: string } {
  if (from === "names") return { text: foldersByName, orderBy: "f.tree_key" };
  if (from === "all") return { text: "uploads.folders f", orderBy: "f.tree_key" };
  return { text: foldersInPositions, orderBy: "r.number, f.tree_position" };
}

function patternOf({ text, isPattern }: QueryWord): string {
  return isPattern ? likePattern(searchPattern(text)) : `%${escapeLike(text)}%`;
}

function kindOf({ text, isPattern }: QueryWord): "word" | "name" | "path" {
  if (!isPattern) return "word";
  return text.includes("/") ? "path" : "name";
}
