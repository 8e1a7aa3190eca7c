/** Finds and deletes the uploads that a merge removes. The order of a file's lines decides. */
import type pg from "pg";
import { formatCount } from "../../model/format.ts";
import { isInSubtree } from "../../model/tree-key.ts";
import { countRows, runStatement } from "./statements.ts";

/**
 * Decides which uploads are deleted, as if line by line: a deletion removes what earlier lines and
 * the index have, and later lines stay. Afterwards no upload is both staged and to be deleted. Call
 * it with the buckets locked.
 */
export async function resolveDeletions(client: pg.ClientBase): Promise<void> {
  if ((await countRows(client, "staged_path_deletions")) > 0) {
    for (const statement of resolvePaths) await runStatement(client, statement);
  }
  if ((await countRows(client, "staged_deletions")) === 0) return;
  for (const statement of keepLater) await runStatement(client, statement);
}

/** A file that replaces a bucket lacks over half of it, so the file may be incomplete. */
class ReplacementError extends Error {
  override readonly name = "ReplacementError";
}

/**
 * Adds the uploads and folders that belong to no source and are not staged to those to be deleted.
 * Throws `ReplacementError` if over half of the uploads, of the folders with settings or of the
 * integrations of a bucket would be deleted, unless that is confirmed.
 */
export async function deleteUnstaged(
  client: pg.ClientBase,
  { isConfirmed }: { readonly isConfirmed: boolean },
): Promise<void> {
  if (!isConfirmed) await requireMostKept(client);
  for (const statement of findUnstaged) await runStatement(client, statement);
}

// As runs of sources do (sources/runs/guard.ts).
async function requireMostKept(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<MostlyUnstaged>(mostlyUnstaged);
  const [bucket] = rows;
  if (bucket === undefined) return;
  const { hostname, things } = bucket;
  const [unstaged, known] = [bucket.unstaged, bucket.known].map((count) =>
    formatCount(Number(count)),
  );
  throw new ReplacementError(
    `Cannot replace what is in ${hostname}: ${unstaged} of ${known} ${things} would be deleted, ` +
      "over half; nothing was changed. Check whether the file is complete. If it is right, " +
      "confirm it with --yes",
  );
}

/** Deletes integrations that are not staged. Returns how many there were. */
export function deleteUnstagedIntegrations(client: pg.ClientBase): Promise<number> {
  return runStatement(client, unstagedIntegrations);
}

/** Deletes the uploads of `staged_deletions`. Returns how many there were. */
export async function deleteUploads(client: pg.ClientBase): Promise<number> {
  if ((await countRows(client, "staged_deletions")) === 0) return 0;
  await runStatement(client, addEmptied);
  return await runStatement(client, deleteStaged);
}

/** The path above, in SQL. */
export function parentOf(path: string): string {
  return `coalesce(nullif(left(${path}, -strpos(reverse(${path}), '/')), ''), '/')`;
}

const isUnder = (key: string) => isInSubtree(key, "d.tree_key");
const isNamed = (key: string, filename: string) =>
  `${key} = uploads.tree_key(${parentOf("d.path")})
   and ${filename} = right(d.path, strpos(reverse(d.path), '/') - 1)`;

const stagedKey = "uploads.tree_key(s.path)";

function deleteStagedBefore(isAtPath: string): string {
  return `
    insert into staged_deletions (line, bucket_number, upload_id)
    select max(d.line), s.bucket_number, s.upload_id from staged_path_deletions d
    join staged_uploads s on s.bucket_number = d.bucket_number and ${isAtPath}
    where s.line < d.line group by s.bucket_number, s.upload_id`;
}

// If an earlier line brings or moves an upload, that line decides where the upload is.
function deleteKnown(isAtPath: string): string {
  return `
    insert into staged_deletions (line, bucket_number, upload_id)
    select max(d.line), u.bucket_number, u.upload_id from staged_path_deletions d
    join uploads.folders f on f.bucket_number = d.bucket_number
    join uploads.uploads u
      on u.bucket_number = d.bucket_number and u.tree_position = f.tree_position
    where ${isAtPath} and not exists (
      select from staged_uploads s
      where s.bucket_number = u.bucket_number and s.upload_id = u.upload_id and s.line < d.line)
    group by u.bucket_number, u.upload_id`;
}

// Without the indexes, each path would be compared with each staged row.
const resolvePaths = [
  `delete from staged_path_deletions d using (
     select bucket_number, tree_key, max(line) as line from staged_path_deletions
     group by bucket_number, tree_key having count(*) > 1) twice
   where d.bucket_number = twice.bucket_number and d.tree_key = twice.tree_key
     and d.line < twice.line`,
  "create index on staged_uploads (bucket_number, uploads.tree_key(path))",
  "create index on staged_folders (bucket_number, tree_key)",
  "analyze staged_path_deletions, staged_uploads, staged_folders",
  deleteStagedBefore(isUnder(stagedKey)),
  deleteStagedBefore(isNamed(stagedKey, "s.filename")),
  deleteKnown(isUnder("f.tree_key")),
  deleteKnown(isNamed("f.tree_key", "u.filename")),
  `update staged_folders s set is_last = false from staged_path_deletions d
   where s.bucket_number = d.bucket_number and s.line < d.line and ${isUnder("s.tree_key")}`,
  `insert into emptied_folders (bucket_number, path, despite_settings)
   select distinct f.bucket_number, uploads.path_of(f.tree_key, f.path), true
   from staged_path_deletions d
   join uploads.folders f on f.bucket_number = d.bucket_number and ${isUnder("f.tree_key")}`,
];

const keepLater = [
  `delete from staged_deletions d using staged_uploads s
   where s.bucket_number = d.bucket_number and s.upload_id = d.upload_id and s.line > d.line`,
  `delete from staged_uploads s using staged_deletions d
   where s.bucket_number = d.bucket_number and s.upload_id = d.upload_id`,
];

/** In SQL: whether a folder has no member beyond ID and path. */
export function hasNoSettings(folder: string): string {
  return `(${folder}.settings is null and ${folder}.scoping_integration_id is null
    and ${folder}.virtual_file_integration_id is null and not ${folder}.integration_hidden)`;
}

const isOfMergedBucket = (thing: string) =>
  `${thing}.bucket_number in (select bucket_number from staged_paths)`;

const isOfMerge = (thing: string) => `${isOfMergedBucket(thing)} and ${thing}.source_id is null`;

// Rows of sources stay, and may name an integration. Without it, nobody could see them.
const keptIntegrations = `
  select bucket_number, integration_id from staged_integrations
  union
  select bucket_number, integration_id from uploads.uploads u
  where ${isOfMergedBucket("u")} and u.source_id is not null and u.integration_id is not null
  union
  select f.bucket_number, named.integration_id from uploads.folders f
  cross join lateral (values (f.scoping_integration_id), (f.virtual_file_integration_id))
    named (integration_id)
  where ${isOfMergedBucket("f")} and f.source_id is not null
    and named.integration_id is not null`;

interface MostlyUnstaged {
  readonly hostname: string;
  readonly things: "uploads" | "folders with settings" | "integrations";
  readonly known: string;
  readonly unstaged: string;
}

// A staged folder is kept at its path, or moved to another one.
const mostlyUnstaged = `
  select hostname, things, known, unstaged from (
    select u.bucket_number, 'uploads' as things, count(*) as known,
      count(*) filter (where s.upload_id is null) as unstaged
    from uploads.uploads u left join staged_uploads s using (bucket_number, upload_id)
    where ${isOfMerge("u")} group by u.bucket_number
    union all
    select f.bucket_number, 'folders with settings', count(*),
      count(*) filter (where p.tree_key is null and s.folder_id is null)
    from uploads.folders f
    left join (
      select bucket_number, tree_key from staged_paths
      union
      select bucket_number, tree_key from staged_folders) p using (bucket_number, tree_key)
    left join (select distinct bucket_number, folder_id from staged_folders) s
      using (bucket_number, folder_id)
    where ${isOfMerge("f")} and not ${hasNoSettings("f")} group by f.bucket_number
    union all
    select i.bucket_number, 'integrations', count(*),
      count(*) filter (where kept.integration_id is null)
    from uploads.integrations i
    left join (${keptIntegrations}) kept using (bucket_number, integration_id)
    where ${isOfMergedBucket("i")} group by i.bucket_number) counts
  join uploads.buckets using (bucket_number)
  where unstaged * 2 > known order by hostname, things limit 1`;

const findUnstaged = [
  `insert into staged_deletions (bucket_number, upload_id)
   select u.bucket_number, u.upload_id from uploads.uploads u
   where ${isOfMerge("u")} and not exists (
     select from staged_uploads s
     where s.bucket_number = u.bucket_number and s.upload_id = u.upload_id)`,
  `insert into emptied_folders (bucket_number, path, despite_settings)
   select f.bucket_number, uploads.path_of(f.tree_key, f.path), true from uploads.folders f
   where ${isOfMerge("f")}`,
];

const unstagedIntegrations = `
  delete from uploads.integrations i
  where ${isOfMergedBucket("i")} and not exists (
    select from (${keptIntegrations}) kept
    where kept.bucket_number = i.bucket_number and kept.integration_id = i.integration_id)`;

const addEmptied = `
  insert into emptied_folders (bucket_number, path)
  select distinct u.bucket_number, u.path from staged_deletions d
  join uploads.uploads u on u.bucket_number = d.bucket_number and u.upload_id = d.upload_id`;

const deleteStaged = `
  delete from uploads.uploads u using staged_deletions d
  where u.bucket_number = d.bucket_number and u.upload_id = d.upload_id`;
