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

/** Folders of a word that are read. More of them, and a list is soon full by scanning. */
const foldersMax = 5000;

/** The folders of each word, which must be no pattern. */
export async function readWordFolders(
  readColumn: ReadColumn,
  bucketNumber: number,
  words: readonly QueryWord[],
): Promise<WordFolders[]> {
  if (words.length === 0) return [];
  const column = await readColumn(wordFoldersStatement(bucketNumber, words));
  return words.map((_, at) => {
    const [positions, uploads] = JSON.parse(String(column.at(at))) as [string | null, number];
    return { positions: positions ?? undefined, uploads };
  });
}

function wordFoldersStatement(bucketNumber: number, words: readonly QueryWord[]): Statement {
  const values = {
    bucketNumber,
    names: words.map(({ text }) => folderNamePattern(text)),
    paths: words.map(({ text }) => `%${escapeLike(text)}%`),
  };
  return { ...wordFolders, values: valuesOf(wordFolders, values) };
}

const wordFolders = nameStatement(`
  select json_build_array(
    case when count(*) <= ${foldersMax} then
      coalesce(range_agg(int8range(found.tree_position, found.next))
        filter (where found.tree_position is not null), '{}')::text end,
    coalesce(sum(found.subtree_uploads), 0))::text
  from unnest(:names::text[], :paths::text[]) with ordinality w (name, path, number)
  left join lateral (
    select d.tree_position, d.subtree_uploads,
      ${positionAt("d.tree_key || chr(2)")} as next
    from uploads.folders d
    where d.bucket_number = :bucketNumber
      and uploads.folder_name(d.tree_key, d.path, d.path_folded) like w.name
      and coalesce(d.path_folded, uploads.path_of(d.tree_key, d.path)) || '/' like w.path
    limit ${foldersMax + 1}) found on true
  group by w.number order by w.number`);

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
