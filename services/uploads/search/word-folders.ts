/**
 * The folders whose paths contain the words of a query. What a path contains, every path below it
 * contains too: so they are ranges of tree positions, and the index entry of an upload tells
 * whether a word is in its path. Positions change: a statement may use them only in the snapshot
 * in which they were read.
 */

import { positionAt } from "../model/tree-position.ts";
import type { QueryWord } from "../model/upload-query.ts";
import { nameStatement, type Statement, valuesOf } from "../postgres/named-parameters.ts";
import type { ReadColumn } from "../postgres/statements.ts";
import { escapeLike } from "./name-conditions.ts";

/** The folders whose paths contain a word. */
export interface WordFolders {
  /** As a multirange of PostgreSQL. Undefined: they are too many, so the word may be anywhere. */
  readonly positions: string | undefined;
  /** At most so many uploads are in them. */
  readonly uploads: number;
}

/** Most folders of a word that are read. With more of them, a list is soon full by scanning. */
const foldersMax = { short: 2000, long: 20_000 };

/**
 * The folders of each word, which must be no pattern.
 *
 * @param canTakeLong read more folders of a word, and also those that the index finds only by
 *   reading all of it.
 */
export async function readWordFolders(
  readColumn: ReadColumn,
  bucketNumber: number,
  words: readonly QueryWord[],
  canTakeLong: boolean,
): Promise<WordFolders[]> {
  const patterns = words.map(({ text }) => folderPatterns(text));
  const isRead = patterns.map((each) => canTakeLong || each.every(isInIndex));
  const rows = patterns.flatMap((each, number) =>
    isRead[number] ? each.map((pattern) => ({ number, ...pattern })) : [],
  );
  const limit = canTakeLong ? foldersMax.long : foldersMax.short;
  const column =
    rows.length === 0 ? undefined : await readColumn(statement(bucketNumber, rows, limit));
  const found = new Map<number, WordFolders>();
  for (let at = 0; at < (column?.length ?? 0); at++) {
    const [number, positions, uploads] = JSON.parse(String(column?.at(at))) as Row;
    found.set(number, { positions: positions ?? undefined, uploads });
  }
  return words.map((_, number) => found.get(number) ?? unread(isRead[number] === true));
}

type Row = readonly [number: number, positions: string | null, uploads: number];

/** A word without any folder, or one that may have any. */
function unread(isRead: boolean): WordFolders {
  return { positions: isRead ? noPosition : undefined, uploads: 0 };
}

export const noPosition = "{}";

/** Patterns of LIKE for folders: of the name as the index has it, and of the folded path. */
interface FolderPattern {
  readonly name: string;
  /** Of the path with a slash after it, unless only the folder itself is found. */
  readonly path: string;
  /** Whether the word is in all that is under the folder, or the folder ends with its part. */
  readonly isSubtree: boolean;
}

/**
 * The folders in whose paths a text ends; and if a name is after its last slash, the folders that
 * end where the name begins.
 */
function folderPatterns(text: string): FolderPattern[] {
  const patterns = [
    { name: folderNamePattern(text), path: `%${escapeLike(text)}%`, isSubtree: true },
  ];
  if (isInFolders(text) && !text.endsWith("/")) {
    const parent = text.slice(0, text.lastIndexOf("/"));
    const name = parent.slice(parent.lastIndexOf("/") + 1);
    const start = name === parent ? "%" : "";
    const namePattern = `${start}${escapeLike(spelt(name))}`;
    patterns.push({ name: namePattern, path: `%${escapeLike(parent)}`, isSubtree: false });
  }
  return patterns;
}

/** Whether the folders of a text tell all: no name contains a slash, but at its begin. */
export function isInFolders(text: string): boolean {
  return text.includes("/", 1);
}

/** Whether the pattern has a trigram: the index would be read as a whole otherwise. */
function isInIndex({ name }: FolderPattern): boolean {
  const isAnchored = !name.startsWith("%") || !name.endsWith("%");
  return (isAnchored ? /[a-z0-9]{2}/ : /[a-z0-9]{3}/).test(name);
}

type Numbered = FolderPattern & { readonly number: number };

function statement(bucketNumber: number, rows: readonly Numbered[], limit: number): Statement {
  const values = {
    bucketNumber,
    foldersMax: limit,
    numbers: rows.map(({ number }) => number),
    names: rows.map(({ name }) => name),
    paths: rows.map(({ path }) => path),
    areSubtrees: rows.map(({ isSubtree }) => isSubtree),
  };
  return { ...wordFolders, values: valuesOf(wordFolders, values) };
}

const path = "coalesce(d.path_folded, uploads.path_of(d.tree_key, d.path))";

const wordFolders = nameStatement(`
  with found as materialized (
    select w.number, w.is_subtree, d.tree_key, d.tree_position,
      case when w.is_subtree then d.subtree_uploads else d.uploads end as uploads
    from unnest(:numbers::integer[], :names::text[], :paths::text[], :areSubtrees::boolean[])
      as w (number, name, path, is_subtree)
    cross join lateral (
      select d.* from uploads.folders d
      where d.bucket_number = :bucketNumber
        and uploads.folder_name(d.tree_key, d.path, d.path_folded) like w.name
        and case when w.is_subtree then ${path} || '/' else ${path} end like w.path
      limit :foldersMax::integer + 1) d)
  select json_build_array(counted.number,
    case when counted.folders <= :foldersMax::integer then (
      select range_agg(int8range(e.tree_position, case when e.is_subtree
        then ${positionAt("e.tree_key || chr(2)")} else e.tree_position + 1 end))::text
      from found e where e.number = counted.number) end,
    counted.uploads)::text
  from (
    select number, count(*) as folders, sum(uploads) as uploads from found group by number
  ) counted`);

/**
 * The pattern of names of the folders in whose path a text ends: with a slash in the text, its last
 * segment begins the name, or is the end of the name if a slash follows.
 */
export function folderNamePattern(text: string): string {
  const segments = text.split("/");
  const last = segments.at(-1) as string;
  const isWhole = last === "" && segments.length > 1;
  const segment = isWhole ? (segments.at(-2) as string) : last;
  const begins = segments.length > (isWhole ? 2 : 1);
  return `${begins ? "" : "%"}${escapeLike(spelt(segment))}${isWhole ? "" : "%"}`;
}

/** As `uploads.folder_name` spells it (schema/0006-search.sql). */
function spelt(text: string): string {
  let spelt = "";
  for (const byte of Buffer.from(text)) {
    if (byte >= 0x80) spelt += `\\${byte.toString(8)}`;
    else spelt += byte === 0x5c ? "\\\\" : String.fromCharCode(byte);
  }
  return spelt;
}
