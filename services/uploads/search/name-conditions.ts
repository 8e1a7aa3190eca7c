import sql, { type Sql } from "sql-template-tag";
import type { NamePattern, NameRule } from "../model/name-pattern.ts";

/** Whether the filename or the slug of an upload `u` matches. */
export function uploadNameMatches(pattern: NamePattern): Sql {
  const like = likePattern(pattern);
  if (!pattern.caseSensitive) {
    return sql`(u.filename_folded like ${like} or u.slug_folded like ${like})`;
  }
  return sql`(coalesce(u.filename_nfc, u.filename) like ${like}
    or coalesce(u.slug_nfc, u.slug) like ${like})`;
}

/** Whether the path of a folder `f` matches. */
export function folderPathMatches(pattern: NamePattern): Sql {
  const like = likePattern(pattern);
  if (!pattern.caseSensitive) return sql`f.path_folded like ${like}`;
  return sql`coalesce(f.path_nfc, f.path) like ${like}`;
}

/** As LIKE has it: `%` is any characters, `_` one code point, `\` keeps the next one as it is. */
export function likePattern({ rule, text }: NamePattern): string {
  return likeOfRule[rule](escapeLike(text));
}

/** The text as a pattern that only the text itself matches. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

const likeOfRule: Record<NameRule, (escaped: string) => string> = {
  equals: (escaped) => escaped,
  prefix: (escaped) => `${escaped}%`,
  contains: (escaped) => `%${escaped}%`,
  glob: (escaped) => escaped.replaceAll("*", "%").replaceAll("?", "_"),
};
