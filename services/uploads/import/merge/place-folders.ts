/**
 * Gives new folders positions in the order of the tree (schema/0003-integrations-and-folders.sql):
 * evenly in the gap between the folders before and after them. If a gap is too small, the folders
 * around it are first spread over the space that they have together (Bender and others, "Two
 * Simplified Algorithms for Maintaining Order in a List", 2002).
 */
import type pg from "pg";
import { type NamedValues, query } from "../../postgres/named-parameters.ts";
import { runStatement } from "./statements.ts";

/** Space between two folders, if there is enough. */
const usualGap = 2 ** 36;
/** Positions are below this number, so that a sum of one and a small number is a bigint too. */
const positionsMax = (2n ** 62n).toString();

/**
 * Fills `new_folders` with the folders of a query, and with their places among those that exist.
 *
 * @param folders has the columns of `staged_folders`, and no folder that exists.
 */
export async function placeFolders(
  client: pg.ClientBase,
  folders: string,
  values: NamedValues,
): Promise<void> {
  for (;;) {
    await runStatement(client, placed(folders), values);
    const crowded = await query<Crowded>(client, findCrowded);
    const [place] = crowded.rows;
    if (place === undefined) return;
    await makeRoom(client, place);
    await client.query("truncate new_folders");
  }
}

/** In SQL: the position of a row of `new_folders`. */
export function positionOfNew(table: string): string {
  return `${table}.before + ${table}.place * least(${usualGap}, ${gapOf(`${table}.`)})`;
}

/** The space for each of the new folders of a gap. */
function gapOf(prefix: string): string {
  return `((coalesce(${prefix}after, ${positionsMax}) - ${prefix}before) / (${prefix}places + 1))`;
}

const neighbour = (comparison: string, direction: string) => `(
    select f.tree_position from uploads.folders f
    where f.bucket_number = m.bucket_number and f.tree_key ${comparison} m.tree_key
    order by f.tree_key ${direction} limit 1)`;

const columns = `bucket_number, folder_id, tree_key, path, path_nfc, path_folded, settings,
  scoping_integration_id, virtual_file_integration_id, integration_hidden, source_id`;

// The tree key of the staging table is generated.
const placed = (folders: string) => `
  insert into new_folders (${columns}, before, after, place, places)
  select ${columns}, before, after,
    row_number() over (partition by bucket_number, before order by tree_key),
    count(*) over (partition by bucket_number, before)
  from (
    select m.*, coalesce(${neighbour("<", "desc")}, 0) as before,
      ${neighbour(">", "asc")} as after
    from (${folders}) m) m`;

interface Crowded {
  readonly bucketNumber: number;
  readonly before: string;
  readonly places: string;
}

const findCrowded = `
  select bucket_number as "bucketNumber", before, places from new_folders
  where ${gapOf("")} < 1 limit 1`;

/** Folders on each side of a crowded gap that are spread: as few as make enough room. */
const spreadFolders = [100, 10_000, 1_000_000, 100_000_000];

async function makeRoom(client: pg.ClientBase, place: Crowded): Promise<void> {
  for (const folders of spreadFolders) {
    const { rows } = await query(client, spread, { ...place, folders });
    if (rows.length > 0) return;
  }
  throw new Error("Cannot place a folder in the order of the tree: its bucket has too many");
}

// The constraint on positions is deferred. Returns no row if the folders would be too close.
const spread = `
  with around as (
    (select bucket_number, folder_id, tree_position from uploads.folders
     where bucket_number = :bucketNumber and tree_position <= :before::bigint
     order by tree_position desc limit :folders)
    union all
    (select bucket_number, folder_id, tree_position from uploads.folders
     where bucket_number = :bucketNumber and tree_position > :before::bigint
     order by tree_position limit :folders)
  ), space as (
    select coalesce((
        select max(f.tree_position) from uploads.folders f
        where f.bucket_number = :bucketNumber
          and f.tree_position < (select min(a.tree_position) from around a)), 0) as first,
      coalesce((
        select min(f.tree_position) from uploads.folders f
        where f.bucket_number = :bucketNumber
          and f.tree_position > (select max(a.tree_position) from around a)),
        ${positionsMax}) as last
  ), moved as (
    select a.*, s.first + (s.last - s.first) / (count(*) over () + 1)
        * row_number() over (order by a.tree_position) as new_position
    from around a cross join space s
    where (s.last - s.first) / ((select count(*) from around) + 1) > 2 * :places::bigint
  ), moved_uploads as (
    update uploads.uploads u set tree_position = m.new_position from moved m
    where u.bucket_number = m.bucket_number and u.tree_position = m.tree_position
  )
  update uploads.folders f set tree_position = m.new_position from moved m
  where f.bucket_number = m.bucket_number and f.folder_id = m.folder_id
  returning f.folder_id`;
