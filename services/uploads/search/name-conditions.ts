/** Name patterns as conditions in SQL, with the parameters that `nameParameters` returns. */
import type { NamePattern, NameRule } from "../model/name-pattern.ts";
import { signatureOfSearch } from "./signature.ts";

/** The names of an upload `u`, folded. The columns are null where that changes nothing. */
export const foldedFilename = "coalesce(u.filename_folded, u.filename)";
export const foldedSlug = "coalesce(u.slug_folded, u.slug)";

/** Whether the filename or the slug of an upload `u` matches, in lower case. */
export const foldedNameMatches = `(${foldedFilename} like :namePattern
  or ${foldedSlug} like :namePattern)`;

/** Whether the filename or the slug of an upload `u` matches, case-sensitively. */
export const exactNameMatches = `(coalesce(u.filename_nfc, u.filename) like :namePattern
  or coalesce(u.slug_nfc, u.slug) like :namePattern)`;

/**
 * The parameters of these conditions, and of those on signatures.
 *
 * @param tags that every match has.
 */
export function nameParameters(name: NamePattern | undefined, tags: readonly string[] = []) {
  return {
    namePattern: name === undefined ? null : likePattern(name),
    signature: signatureOfSearch(name, tags),
  };
}

/** Whether the path of a folder `f` matches `:pathPattern`. */
export function folderPathMatches({ caseSensitive }: NamePattern): string {
  const form = caseSensitive ? "f.path_nfc" : "f.path_folded";
  return `coalesce(${form}, uploads.path_of(f.tree_key, f.path)) like :pathPattern`;
}

/** The pattern of LIKE: `%` is any characters, `_` one code point, `\` quotes the next one. */
export function likePattern({ rule, text }: NamePattern): string {
  return likeOfRule[rule](escapeLike(text));
}

/** The text as a pattern that matches nothing but the text. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

const likeOfRule: Record<NameRule, (escaped: string) => string> = {
  equals: (escaped) => escaped,
  prefix: (escaped) => `${escaped}%`,
  contains: (escaped) => `%${escaped}%`,
  glob: (escaped) => escaped.replaceAll("*", "%").replaceAll("?", "_"),
};
