/**
 * What index entries of uploads `u` tell of their rows (schema/0014). True for every upload of the
 * list, and for a few more: a text may be found in a tag, and entries without facets tell nothing.
 */
import sql, { join, raw, type Sql } from "sql-template-tag";
import type { View } from "../access/visibility.ts";
import { literalRuns } from "../model/n-grams.ts";
import type { NamePattern } from "../model/name-pattern.ts";
import type { UploadQuery } from "../model/upload-query.ts";
import { escapeLike, likePattern } from "./name-conditions.ts";
import { createdConditions, inScope, type ListScope, type UploadList } from "./upload-list.ts";

/** The columns of `u` that the conditions look at; not every index has all. */
export function facetColumns({ createdFrom, createdTo }: UploadQuery): Sql {
  const isDated = createdFrom !== undefined || createdTo !== undefined;
  return isDated
    ? sql`u.folder_key, u.filter_text, u.created_at`
    : sql`u.folder_key, u.filter_text`;
}

/** Whether an upload may belong to the list. */
export function mayBelong(
  { bucketId, view, query }: UploadList,
  scope: ListScope,
  nameCondition: (pattern: NamePattern) => Sql = nameMayMatch,
): Sql {
  const facets = [isShown(bucketId, view), ...tagConditions(query)];
  if (query.name !== undefined) facets.push(nameCondition(query.name));
  return join(
    [
      inScope(scope),
      ...createdConditions(query),
      sql`(u.filter_text is null or ${join(facets, " and ")})`,
    ],
    " and ",
  );
}

/**
 * Whether the name or slug of an upload may match; null where its entry does not tell.
 *
 * @param facets where to look: in all facets, or the part of them with the names.
 */
export function nameMayMatch(pattern: NamePattern, facets: Sql = sql`u.filter_text`): Sql {
  const like = likePattern(pattern);
  const marked = {
    equals: `%/${like}/%`,
    prefix: `%/${like}`,
    contains: like,
    glob: `%/${like}/%`,
  };
  const matches = sql`${facets} like ${marked[pattern.rule]}`;
  const runs = literalRuns(pattern).filter((run) => run.join("") !== "/");
  const [longest] = runs.toSorted((one, other) => other.length - one.length);
  if (longest === undefined) return matches;
  // To look for a text takes a fraction of the time that a pattern takes.
  const hasLongest = sql`strpos(${facets}, ${longest.join("")}) > 0`;
  const isAll = runs.length === 1 && (pattern.rule !== "glob" || !pattern.text.includes("?"));
  return isAll ? hasLongest : sql`(${hasLongest} and ${matches})`;
}

/**
 * Whether an upload has what the terms of a pattern ask for: its texts, wherever they stand, and
 * of those between `*` and `?` only what is long enough for a term.
 */
export function nameHasPieces(pattern: NamePattern): Sql {
  const runs = literalRuns(pattern)
    .filter((run) => run.length >= 3)
    .map((run) => `%${escapeLike(run.join(""))}%`);
  return runs.length === 0 ? nameMayMatch(pattern) : sql`u.filter_text like all (${runs}::text[])`;
}

// Clients that keep no integration in the bucket see nothing hidden, all others perhaps.
function isShown(bucketId: string, { clientId, hidesUploads }: View): Sql {
  if (!hidesUploads) return raw("true");
  if (clientId === undefined) return sql`u.filter_text not like '!%'`;
  return sql`(u.filter_text not like '!%' or exists (
    select from uploads.integrations own
    where own.bucket_id = ${bucketId} and own.oauth_client_id = ${clientId}))`;
}

function tagConditions({ tags }: UploadQuery): Sql[] {
  const conditions: Sql[] = [];
  const likes = (list: readonly string[]) => list.map((tag) => `%\u0001${escapeLike(tag)}\u0001%`);
  if (tags.allOf.length > 0)
    conditions.push(sql`u.filter_text like all (${likes(tags.allOf)}::text[])`);
  if (tags.anyOf.length > 0)
    conditions.push(sql`u.filter_text like any (${likes(tags.anyOf)}::text[])`);
  // A tag that holds the character between tags is in no facets; two others may look like it.
  const excluded = tags.noneOf.filter((tag) => !tag.includes("\u0001"));
  if (excluded.length > 0)
    conditions.push(sql`not u.filter_text like any (${likes(excluded)}::text[])`);
  return conditions;
}
