/**
 * What a list asks for, as a search of the inverted index (schema/0015). It finds every upload of
 * the list, and others.
 */
import sql, { join, type Sql } from "sql-template-tag";
import { coveringFolders } from "../model/covering-folders.ts";
import { namePieces } from "../model/n-grams.ts";
import type { NamePattern } from "../model/name-pattern.ts";
import type { TagQuery } from "../model/upload-query.ts";
import type { ListScope, UploadList } from "./upload-list.ts";

/** Searches of type `tsquery`; none where the index is no help. */
export interface TermSearch {
  readonly all: Sql | undefined;
  /**
   * Without what is asked of names by a single character: a great many terms begin with one that is
   * common. The same as `all` where there is nothing of that kind.
   */
  readonly withoutCharacters: Sql | undefined;
}

export function termSearch(list: UploadList, scope: ListScope): TermSearch {
  const { bucketId, query } = list;
  const bucket = bucketId.slice(-4);
  const tags = tagTerms(query.tags, bucket);
  const name = query.name === undefined ? [] : nameTerms(query.name, bucket);
  const searchOf = (terms: readonly string[]) => searchFor(terms, scope, bucketId);
  const longer = name.filter((term) => !term.isCharacter);
  const all = searchOf([...tags, ...name.map(({ text }) => text)]);
  const hasCharacters = longer.length < name.length;
  const withoutCharacters = hasCharacters
    ? searchOf([...tags, ...longer.map(({ text }) => text)])
    : all;
  return { all, withoutCharacters };
}

/** What is asked of names alone; none where the index is no help, or would read too much. */
export function nameSearch(name: NamePattern, bucketId: string): Sql | undefined {
  const terms = nameTerms(name, bucketId.slice(-4));
  if (terms.length === 0 || terms.some((term) => term.isCharacter)) return undefined;
  return sql`(${terms.map(({ text }) => text).join(" & ")}::tsquery)`;
}

function searchFor(terms: readonly string[], scope: ListScope, bucketId: string): Sql | undefined {
  // All of a folder is sooner found in its own indexes.
  if (terms.length === 0 && scope.folder !== undefined) return undefined;
  const folders = folderSearch(scope, bucketId);
  const searches = folders === undefined ? [] : [folders];
  if (terms.length > 0) searches.push(sql`${terms.join(" & ")}::tsquery`);
  return searches.length === 0 ? undefined : sql`(${join(searches, " && ")})`;
}

function nameTerms(pattern: NamePattern, bucket: string) {
  const { whole, beginnings, length } = namePieces(pattern);
  const terms = [
    ...whole.map((piece) => ({ text: quoted(`n${bucket}${piece}`), isCharacter: false })),
    ...beginnings.map((piece) => ({
      text: `${quoted(`n${bucket}${piece}`)}:*`,
      isCharacter: [...piece].length === 1,
    })),
  ];
  if (length !== undefined) terms.push({ text: quoted(`l${bucket}${length}`), isCharacter: false });
  return terms;
}

/** Code points of a tag that are in its term. */
const tagLengthMax = 64;

function tagTerms({ allOf, anyOf }: TagQuery, bucket: string): string[] {
  const term = (tag: string) => quoted(`t${bucket}${[...tag].slice(0, tagLengthMax).join("")}`);
  const terms = allOf.map(term);
  if (anyOf.length > 0) terms.push(`(${anyOf.map(term).join(" | ")})`);
  return terms;
}

/** More folders say little, and cost much. */
const foldersMax = 16;

function folderSearch({ folder, ranges }: ListScope, bucketId: string): Sql | undefined {
  const folders = folder === undefined ? coveringFolders(ranges) : [folder];
  // The root has no term: it holds everything.
  if (folders.includes("") || folders.length > foldersMax) return undefined;
  return sql`(select string_agg(uploads.folder_term(${bucketId}, f.key), '|')::tsquery
    from unnest(${folders}::text[]) as f (key))`;
}

function quoted(term: string): string {
  return `'${term.replace(/['\\]/g, "$&$&")}'`;
}
