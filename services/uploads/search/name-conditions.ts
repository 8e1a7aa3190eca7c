/** Name patterns as conditions in SQL, with named parameters (`postgres/named-parameters.ts`). */
import type { Sql } from "sql-template-tag";
import { literalRuns } from "../model/n-grams.ts";
import type { NamePattern, NameRule } from "../model/name-pattern.ts";
import { bindParameters } from "../postgres/named-parameters.ts";

/** Whether the filename or the slug of an upload `u` matches `:namePattern`, in lower case. */
export const foldedNameMatches =
  "(u.filename_folded like :namePattern or u.slug_folded like :namePattern)";

/** Whether the filename or the slug of an upload `u` matches. */
export function uploadNameMatches(name: NamePattern): Sql {
  const exactNameMatches = `(coalesce(u.filename_nfc, u.filename) like :namePattern
    or coalesce(u.slug_nfc, u.slug) like :namePattern)`;
  return bindParameters(name.caseSensitive ? exactNameMatches : foldedNameMatches, {
    namePattern: likePattern(name),
  });
}

/** Whether the path of a folder `f` matches. */
export function folderPathMatches(path: NamePattern): Sql {
  const column = path.caseSensitive ? "coalesce(f.path_nfc, f.path)" : "f.path_folded";
  return bindParameters(`${column} like :pathPattern`, { pathPattern: likePattern(path) });
}

/**
 * Whether a name may match, by the filter text of the upload (schema/0006-uploads.sql). False
 * positives are possible, so the row is checked too. The text is searched first: that costs a
 * fraction of what a pattern costs.
 */
export function filterTextMatches(filterText = "u.filter_text"): string {
  return `(strpos(${filterText}, :nameText) > 0
    and (:filterTextPattern::text is null or ${filterText} like :filterTextPattern))`;
}

/** `filterTextMatches` with its values, for statements that are composed of parts. */
export function nameMayMatch(name: NamePattern, filterText?: string): Sql {
  return bindParameters(filterTextMatches(filterText), filterTextParameters(name));
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

/**
 * The parameters of `filterTextMatches`. Without a name, and for a pattern without a literal text,
 * `nameText` is empty: every text has it. `filterTextPattern` is null if the text says as much.
 */
export function filterTextParameters(name: NamePattern | undefined) {
  if (name === undefined) return { nameText: "", filterTextPattern: null };
  const like = likePattern(name);
  const filterTextPattern = {
    equals: `%/${like}/%`,
    prefix: `%/${like}`,
    contains: like,
    glob: `%/${like}/%`,
  }[name.rule];
  const runs = literalRuns(name).filter((run) => run.join("") !== "/");
  const [longest] = runs.toSorted((one, other) => other.length - one.length);
  if (longest === undefined) return { nameText: "", filterTextPattern };
  const saysAll = runs.length === 1 && (name.rule !== "glob" || !name.text.includes("?"));
  return { nameText: longest.join(""), filterTextPattern: saysAll ? null : filterTextPattern };
}
