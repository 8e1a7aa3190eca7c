import type pg from "pg";

/**
 * Makes the tables that an import fills before it touches the real ones. They are this connection's
 * own and go with it; their columns are those of the real tables, but for documents, and `line`,
 * which tells the later of two rows.
 */
export async function createStagingTables(client: pg.ClientBase): Promise<void> {
  await client.query(`
    create temporary table staged_buckets (line bigint not null, like uploads.buckets);
    -- Null: where the organisation has no primary bucket yet.
    alter table staged_buckets alter is_primary drop not null;

    create temporary table staged_integrations (line bigint not null, like uploads.integrations);
    alter table staged_integrations drop document;

    create temporary table staged_folders (
      line bigint not null,
      -- No later line has its ID or its path.
      is_last boolean not null default true,
      like uploads.folders including generated
    );
    alter table staged_folders drop document;

    -- Every folder that a row needs: its own and all above. One path may come several times.
    create temporary table staged_paths (
      bucket_id uuid not null,
      folder_id uuid not null,
      path text collate "C" not null,
      tree_key text collate "C" not null generated always as (uploads.tree_key(path)) stored,
      path_nfc text collate "C",
      path_folded text collate "C" not null,
      is_listed boolean not null
    );

    create temporary table staged_uploads (line bigint not null, like uploads.uploads);
    alter table staged_uploads drop folder_key, drop document, drop filter_text,
      -- Null: the time of the import.
      alter created_at drop not null, alter updated_at drop not null;

    -- Folders that a row with their ID or path took the place of.
    create temporary table displaced_folders (like uploads.folders);

    -- What decides who sees what, as it was when the import took its locks.
    create temporary table access_before (bucket_id uuid, thing text, state text);

    -- Rows that the import made.
    create temporary table bucket_growth (
      bucket_id uuid not null,
      folders bigint not null default 0,
      uploads bigint not null default 0
    );`);
}
