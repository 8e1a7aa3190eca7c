/** Name patterns as conditions in SQL, with the parameters that `nameParameters` returns. */
import { literalRuns, nGramLength } from "../model/n-grams.ts";
import type { NamePattern, NameRule } from "../model/name-pattern.ts";

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
 * Whether a name may match, by the filter text of the upload (schema/0004-uploads.sql). False
 * positives are possible, so the row is checked too. The text is searched first: that costs a
 * fraction of what a pattern costs.
 */
export function filterTextMatches(filterText = "u.filter_text"): string {
  return `(strpos(${filterText}, :nameText) > 0
    and (:filterTextPattern::text is null or ${filterText} like :filterTextPattern))`;
}

/**
 * Whether the inverted index finds the name: whether it has every literal text of the pattern that
 * is long enough for an n-gram. Without such a text, whether the name may match.
 */
export const nameHasTexts = `u.filter_text like all (:namePatternTexts::text[])
  and (cardinality(:namePatternTexts::text[]) > 0 or ${filterTextMatches()})`;

/**
 * The parameters of these conditions. Without a name, `filterTextMatches` is true.
 * `filterTextPattern` is null if finding `nameText` is enough.
 */
export function nameParameters(name: NamePattern | undefined) {
  if (name === undefined) {
    return { namePattern: null, nameText: "", filterTextPattern: null, namePatternTexts: [] };
  }
  const namePattern = likePattern(name);
  const texts = literalRuns(name).filter((run) => run.join("") !== "/");
  const [longest] = texts.toSorted((one, other) => other.length - one.length);
  const isTextEnough = texts.length === 1 && (name.rule !== "glob" || !name.text.includes("?"));
  return {
    namePattern,
    // Every filter text contains the empty text.
    nameText: longest?.join("") ?? "",
    filterTextPattern: isTextEnough ? null : filterTextPatternOf[name.rule](namePattern),
    namePatternTexts: texts
      .filter((text) => text.length >= nGramLength)
      .map((text) => `%${escapeLike(text.join(""))}%`),
  };
}

/** In filter texts, names are between slashes. */
const filterTextPatternOf: Record<NameRule, (namePattern: string) => string> = {
  equals: (name) => `%/${name}/%`,
  prefix: (name) => `%/${name}`,
  contains: (name) => name,
  glob: (name) => `%/${name}/%`,
};

/** Whether the path of a folder `f` matches `:pathPattern`. */
export function folderPathMatches({ caseSensitive }: NamePattern): string {
  const form = caseSensitive ? "f.path_nfc" : "f.path_folded";
  return `coalesce(${form}, f.path) like :pathPattern`;
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
