/** The temporary tables of a connection from which a merge writes the index. */
import type pg from "pg";
import { emptyUploadColumns } from "../records/column-values.ts";

/** Creates the staging tables of this connection. */
export async function createStagingTables(client: pg.ClientBase): Promise<void> {
  await client.query(stagingTables);
}

/** Empties them for the next merge of this connection. */
export async function emptyStagingTables(client: pg.ClientBase): Promise<void> {
  await client.query(`truncate ${emptiedTables.join(", ")}`);
}

const emptiedTables = [
  "staged_buckets",
  "staged_integrations",
  "staged_folders",
  "staged_paths",
  "staged_uploads",
  "staged_deletions",
  "staged_path_deletions",
  "emptied_folders",
  "new_folders",
  "changed_uploads",
  "new_uploads",
  "ordered_uploads",
  "access_before",
  "index_growth",
  "total_growth",
];

// The columns are those of the real tables. `line` tells the later of two rows.
const stagingTables = `
  create temporary table staged_buckets (
    line bigint not null,
    -- If it is new, it becomes primary if the organisation has no primary bucket.
    is_first boolean not null,
    -- Where \`is_primary\` comes from, if it is not null.
    primary_line bigint,
    like uploads.buckets
  );
  -- Null: as it is.
  alter table staged_buckets alter is_primary drop not null;

  create temporary table staged_integrations (line bigint not null, like uploads.integrations);
  alter table staged_integrations drop document;

  create temporary table staged_folders (
    line bigint not null,
    -- Whether no later line has its ID or its path.
    is_last boolean not null default true,
    like uploads.folders
  );
  alter table staged_folders alter path set not null, drop tree_key, drop tree_position,
    drop uploads, drop size_bytes, drop subtree_uploads, drop subtree_size_bytes,
    add tree_key text collate "C" not null generated always as (uploads.tree_key(path)) stored;

  -- The folders that must exist for a row: its own and all above it. A path may be there twice.
  -- Every bucket of the merge has its root here, or another path.
  create temporary table staged_paths (
    bucket_number integer not null,
    folder_id uuid not null,
    path text collate "C" not null,
    tree_key text collate "C" not null generated always as (uploads.tree_key(path)) stored,
    path_nfc text collate "C",
    path_folded text collate "C",
    -- The folder must exist even if nothing is in it.
    is_listed boolean not null
  );

  create temporary table staged_uploads (line bigint not null, like uploads.uploads);
  alter table staged_uploads drop tree_position,
    -- Null: the time of the import.
    alter created_at drop not null, alter updated_at drop not null,
    -- Objects have no values for these.
    ${emptyUploadColumns.map(([name, value]) => `alter "${name}" set default ${value}`).join(", ")};

  -- Uploads to delete, unless a later line has them.
  create temporary table staged_deletions (
    line bigint not null default 0,
    bucket_number integer not null,
    upload_id text collate "C" not null
  );

  -- Paths at and under which everything is deleted that no later line has.
  create temporary table staged_path_deletions (
    line bigint not null,
    bucket_number integer not null,
    path text collate "C" not null,
    tree_key text collate "C" not null generated always as (uploads.tree_key(path)) stored
  );

  -- Folders that the merge removes if nothing is in them at its end: those that a source no longer
  -- has, and those from which the merge deletes something. It adds the folders above them.
  create temporary table emptied_folders (
    bucket_number integer not null,
    path text collate "C" not null,
    tree_key text collate "C" not null generated always as (uploads.tree_key(path)) stored,
    depth integer not null generated always as (uploads.tree_depth(uploads.tree_key(path))) stored,
    -- Whether it is removed even if it has settings of its own.
    despite_settings boolean not null default false
  );

  -- Folders that the merge adds. Those between the same two known folders share their gap.
  create temporary table new_folders (
    like staged_folders,
    before bigint not null,
    -- Null: after the last folder of the bucket.
    after bigint,
    place bigint not null,
    places bigint not null
  );
  alter table new_folders drop line, drop is_last;

  -- Uploads that staged ones differ from, as they were.
  create temporary table changed_uploads (
    bucket_number integer not null,
    upload_id text collate "C" not null,
    path text collate "C" not null,
    size_bytes bigint not null
  );

  -- Staged uploads that the index does not have, and then the same in the order in which it stores
  -- them.
  create temporary table new_uploads (staged_row tid not null);
  create temporary table ordered_uploads (
    number bigint primary key, tree_position bigint not null, staged_row tid not null);

  -- The rows that decided visibility when the merge took its locks.
  create temporary table access_before (bucket_number integer, thing text, state text);

  -- How many rows the merge adds to the index; with a path, the uploads that it adds there.
  create temporary table index_growth (
    bucket_number integer not null,
    path text collate "C",
    folders bigint not null default 0,
    uploads bigint not null default 0,
    size_bytes numeric not null default 0
  );

  -- The same by folder, with all folders above.
  create temporary table total_growth (
    bucket_number integer not null,
    path text collate "C" not null,
    tree_key text collate "C" not null generated always as (uploads.tree_key(path)) stored,
    depth integer not null,
    uploads bigint not null,
    size_bytes numeric not null,
    subtree_uploads bigint not null,
    subtree_size_bytes numeric not null,
    primary key (bucket_number, tree_key)
  );`;
