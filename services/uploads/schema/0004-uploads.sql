-- Uploads. A row holds what differs between uploads. What is a default, or equals another column,
-- is null. Answers are made from the columns when they are read (answers/upload-json.ts).

-- What an upload is filtered by, as one short text. The indexes of lists contain it, so a scan
-- skips uploads without reading their rows:
--   /filename/slug/   folded; the slug only if it differs
--   1 tag 1 tag 1     between bytes 1; nothing if there are no tags
-- If the integration hides the upload, a `!` comes first. The text is null if it would not fit in
-- an index entry beside the path, or if a name or tag contains a byte 1. Null tells nothing, so the
-- row is read.
create or replace function uploads.upload_filter_text(
  path text, filename text, filename_folded text, slug text, slug_folded text, tags text[],
  integration_hidden boolean
) returns text
  language plpgsql immutable parallel safe as $$
declare
  name text := coalesce(filename_folded, filename);
  other_name text := coalesce(slug_folded, slug, name);
  result text := '/' || name || '/';
begin
  if other_name <> name then
    result := result || other_name || '/';
  end if;
  if strpos(concat(result, array_to_string(tags, '')), chr(1)) > 0 then
    return null;
  end if;
  if tags is not null then
    result := result || chr(1) || array_to_string(tags, chr(1)) || chr(1);
  end if;
  if integration_hidden then
    result := '!' || result;
  end if;
  return case when octet_length(path) + octet_length(result) <= 1000 then result end;
end $$;

create table if not exists uploads.uploads (
  size_bytes bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  "order" integer not null,
  type smallint not null,
  integration_hidden boolean not null,
  bucket_id uuid not null,
  upload_id text collate "C" not null,
  filename text collate "C" not null,
  -- The path of the folder, and its tree key.
  path text collate "C" not null,
  folder_key text collate "C" not null generated always as (uploads.tree_key(path)) stored,
  -- Null: the filename. The same in Unicode form C, and folded: null if that changes nothing.
  filename_nfc text collate "C",
  filename_folded text collate "C",
  slug text collate "C",
  slug_nfc text collate "C",
  slug_folded text collate "C",
  -- Null: none.
  tags text[] collate "C",
  integration_id uuid,
  external_path text collate "C",
  intent_metadata jsonb,
  -- The members that few uploads have (answers/members.ts), as answers have them
  -- (answers/rare-members.ts).
  details text,
  -- The source that the row came from. Only rows of a source have content, and can be gone from it.
  source_id uuid,
  filter_text text collate "C" generated always as (uploads.upload_filter_text(
    path, filename, filename_folded, slug, slug_folded, tags, integration_hidden)) stored,
  primary key (bucket_id, upload_id),
  -- Deferrable: an import that moves folders satisfies it again only before it commits.
  constraint uploads_folder foreign key (bucket_id, folder_key)
    references uploads.folders (bucket_id, tree_key) deferrable
);

-- An index-only scan is fast only for pages that vacuum has processed since they were written. So
-- autovacuum runs early.
alter table uploads.uploads set (
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);

-- No condition compares these columns, so no plan needs their statistics. With them, ANALYZE would
-- take a tenth of the time of an import.
alter table uploads.uploads
  alter type set statistics 0,
  alter intent_metadata set statistics 0,
  alter details set statistics 0;
