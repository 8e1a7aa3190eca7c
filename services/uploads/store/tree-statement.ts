import sql, { type Sql } from "sql-template-tag";
import { clipRanges, type KeyRange } from "../domain/key-range.ts";
import type { NamePattern } from "../domain/name-pattern.ts";
import { treeDepth } from "../domain/tree-key.ts";
import type { View } from "../domain/view.ts";
import { folderPathMatches, uploadNameMatches } from "./name-conditions.ts";
import { inRanges, uploadIsShown } from "./view-conditions.ts";

/** Which folders of a bucket a tree is made of. */
export interface TreeScope {
  readonly bucketId: string;
  readonly view: View;
  /** The top folder and all under it. */
  readonly subtree: KeyRange;
}

export interface TreeFilters {
  readonly path: NamePattern | undefined;
  readonly upload: NamePattern | undefined;
  /** Levels to show; 0 is all. */
  readonly depthMax: number;
}

export interface TreeQuery extends TreeScope {
  readonly filters: TreeFilters;
  readonly includeUploads: boolean;
  readonly includeTotals: boolean;
}

/**
 * The top folder and those under it, in tree order, as far as the caller may know of them, each
 * followed by its uploads, by filename, then ID: those that match the filter, where the path filter
 * holds. An upload's row has no key. Folders that could only be under the depth limit are left out.
 *
 * Every part is written so that it reads along an index in the order of the answer: the first row
 * comes at once and nothing is sorted but the uploads within one folder, which are in order.
 */
export function treeStatement(query: TreeQuery, includeDocuments: boolean): Sql {
  const folders = sql`uploads.folders f
    cross join lateral (select ${facts(query)}) facts
    cross join lateral (select ${query.includeTotals ? ownTotals(query) : noTotals}) totals`;
  const folderRow = sql`
    f.tree_key as key, not facts.inside as bare, facts.path_matches, facts.holds_match,
    ${includeDocuments ? folderContent(query) : noContent},
    totals.upload_count, totals.size_bytes`;
  if (!query.includeUploads) {
    return sql`select ${folderRow} from ${folders} where ${isKnown(query)} order by f.tree_key`;
  }
  return sql`
    select r.key, r.bare, r.path_matches, r.holds_match, r.document, r.members,
      r.upload_count, r.size_bytes
    from ${folders} cross join lateral (
      select 0 as kind, '' as filename, '' as upload_id, ${folderRow}
      union all
      select 1, u.filename, u.upload_id, null, null, null, null,
        ${includeDocuments ? uploadContent : noContent}, null, null
      from uploads.uploads u
      where u.bucket_id = f.bucket_id and u.folder_key = f.tree_key and ${isListed(query)}) r
    where ${isKnown(query)}
    order by f.tree_key, r.kind, r.filename collate "C", r.upload_id collate "C"`;
}

/** What the view and the filters say of a folder `f`. */
function facts({ bucketId, view, subtree, filters: { path, upload } }: TreeQuery): Sql {
  const ranges = clipRanges(view.ranges, subtree);
  const holdsMatch = (name: NamePattern) => sql`exists (
    select from uploads.uploads u
    where u.bucket_id = ${bucketId} and u.folder_key = f.tree_key
      and ${uploadIsShown(view.clientId)} and ${uploadNameMatches(name)})`;
  return sql`
    ${ranges.length === 0 ? sql`false` : inRanges(sql`f.tree_key`, ranges)} as inside,
    ${path === undefined ? sql`true` : folderPathMatches(path)} as path_matches,
    ${upload === undefined ? sql`true` : holdsMatch(upload)} as holds_match`;
}

const noTotals = sql`null::bigint as upload_count, null::bigint as size_bytes`;

function ownTotals({ view }: TreeQuery): Sql {
  return sql`count(*) as upload_count, coalesce(sum(u.size_bytes), 0)::bigint as size_bytes
    from uploads.uploads u
    where u.bucket_id = f.bucket_id and u.folder_key = f.tree_key
      and facts.inside and ${uploadIsShown(view.clientId)}`;
}

function isKnown(query: TreeQuery): Sql {
  const { bucketId, view, subtree, filters, includeTotals } = query;
  // With nothing to look for deeper down, a folder of the first level under the limit shows that
  // the tree is cut there.
  const isWhole = filters.path === undefined && filters.upload === undefined;
  const mayLeaveOut = isWhole && !includeTotals && view.ancestors.size === 0;
  return sql`f.bucket_id = ${bucketId}
    and f.tree_key >= ${subtree.from} and f.tree_key < ${subtree.to}
    and (facts.inside or f.tree_key = any (${[...view.ancestors]}::text[]))
    and ${mayLeaveOut ? isWithin(query, 1) : sql`true`}`;
}

function isListed(query: TreeQuery): Sql {
  const { view, filters } = query;
  return sql`facts.inside and facts.path_matches and ${isWithin(query, 0)}
    and ${uploadIsShown(view.clientId)}
    and ${filters.upload === undefined ? sql`true` : uploadNameMatches(filters.upload)}`;
}

/** Whether a folder `f` is at most `levelsBelow` the depth limit, if there is one. */
function isWithin({ subtree, filters: { depthMax } }: TreeQuery, levelsBelow: number): Sql {
  if (depthMax === 0) return sql`true`;
  const depth = treeDepth(subtree.from) + depthMax + levelsBelow;
  // The root has a separator, too, but is always within.
  return sql`octet_length(f.path) - octet_length(replace(f.path, '/', '')) <= ${depth}`;
}

/** Rows without their documents, for counting. */
const noContent = sql`null::text as document, null::text as members`;

function folderContent(query: TreeQuery): Sql {
  return sql`case when ${isWithin(query, 0)} then f.document end as document,
    case when f.scoping_integration_id is not null or f.virtual_file_integration_id is not null
      then concat(${integrationMember("scopingIntegration", sql`f.scoping_integration_id`)},
        ${integrationMember("virtualFileIntegration", sql`f.virtual_file_integration_id`)})
    end as members`;
}

const uploadContent = sql`u.document,
  case when u.integration_id is not null
    then ${integrationMember("integration", sql`u.integration_id`)} end`;

// A join might be made by hashing, which loses the order of the rows.
function integrationMember(name: string, id: Sql): Sql {
  return sql`(select ${`,"${name}":`} || i.document from uploads.integrations i
    where i.bucket_id = f.bucket_id and i.integration_id = ${id})`;
}
