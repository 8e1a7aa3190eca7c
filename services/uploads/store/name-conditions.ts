import sql, { type Sql } from "sql-template-tag";
import type { NamePattern } from "../domain/name-pattern.ts";

/** Whether the filename or the slug of an upload `u` matches. */
export function uploadNameMatches({ like, caseSensitive }: NamePattern): Sql {
  if (!caseSensitive) return sql`(u.filename_folded like ${like} or u.slug_folded like ${like})`;
  return sql`(coalesce(u.filename_nfc, u.filename) like ${like}
    or coalesce(u.slug_nfc, u.slug) like ${like})`;
}

/** Whether the path of a folder `f` matches. */
export function folderPathMatches({ like, caseSensitive }: NamePattern): Sql {
  if (!caseSensitive) return sql`f.path_folded like ${like}`;
  return sql`coalesce(f.path_nfc, f.path) like ${like}`;
}
