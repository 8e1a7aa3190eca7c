-- Uploads: the columns, what filters compare, and the generated document.

-- What an upload is filtered by, as one short text. The indexes of lists contain it, so a scan
-- skips uploads without reading their rows:
--   /filename/slug/   folded; the slug only if it differs
--   1 tag 1 tag 1     between bytes 1; nothing if there are no tags
-- If the integration hides the upload, a `!` comes first. The text is null if it would not fit in
-- an index entry beside the path, or if a name or tag contains a byte 1. Null tells nothing, so the
-- row is read.
create or replace function uploads.upload_filter_text(
  path text, filename_folded text, slug_folded text, tags text[], integration_hidden boolean
) returns text
  language plpgsql immutable parallel safe as $$
declare
  result text := '/' || filename_folded || '/';
begin
  if slug_folded <> filename_folded then
    result := result || slug_folded || '/';
  end if;
  if strpos(result || array_to_string(tags, ''), chr(1)) > 0 then
    return null;
  end if;
  if tags <> '{}' then
    result := result || chr(1) || array_to_string(tags, chr(1)) || chr(1);
  end if;
  if integration_hidden then
    result := '!' || result;
  end if;
  return case when octet_length(path) + octet_length(result) <= 1000 then result end;
end $$;

create table if not exists uploads.uploads (
  bucket_id uuid not null,
  upload_id text collate "C" not null,
  filename text collate "C" not null,
  -- The path of the folder, and its tree key.
  path text collate "C" not null,
  folder_key text collate "C" not null generated always as (uploads.tree_key(path)) stored,
  slug text collate "C" not null,
  -- Filters compare these: the names in Unicode form C, where they differ, and the folded names.
  filename_nfc text collate "C",
  filename_folded text collate "C" not null,
  slug_nfc text collate "C",
  slug_folded text collate "C" not null,
  url text not null,
  content_url text not null,
  size_bytes bigint not null,
  type smallint not null,
  tags text[] collate "C" not null,
  integration_id uuid,
  allow_any_extension boolean not null,
  default_slug_extension text not null,
  generated_description text not null,
  -- The jsonb columns contain JSON as in the contract. They are only read as a whole.
  meta_uploads jsonb not null,
  private boolean not null,
  aliases jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  author_user_id bigint,
  author_username text,
  last_modified_by_user_id bigint,
  last_modified_by_username text,
  thumbnail_generation_version integer not null,
  ai_description_generation_version integer not null,
  ai_tags_generation_version integer not null,
  virus_scan_generation_version integer not null,
  ai_description_input_ref text not null,
  intent_metadata jsonb not null,
  external_path text not null,
  "order" integer not null,
  is_virtual_file boolean not null,
  integration_hidden boolean not null,
  -- The source that the row came from. Only rows of a source can be gone from it.
  source_id uuid,
  document text not null generated always as (uploads.upload_document(
    upload_id, filename, path, slug, url, content_url, size_bytes, type, tags, integration_id,
    allow_any_extension, default_slug_extension, generated_description, meta_uploads, private,
    aliases, created_at, updated_at, author_user_id, author_username, last_modified_by_user_id,
    last_modified_by_username, thumbnail_generation_version, ai_description_generation_version,
    ai_tags_generation_version, virus_scan_generation_version, ai_description_input_ref,
    intent_metadata, external_path, "order", is_virtual_file, integration_hidden)) stored,
  filter_text text collate "C" generated always as (uploads.upload_filter_text(
    path, filename_folded, slug_folded, tags, integration_hidden)) stored,
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
  alter url set statistics 0,
  alter content_url set statistics 0,
  alter type set statistics 0,
  alter allow_any_extension set statistics 0,
  alter default_slug_extension set statistics 0,
  alter generated_description set statistics 0,
  alter meta_uploads set statistics 0,
  alter private set statistics 0,
  alter aliases set statistics 0,
  alter author_user_id set statistics 0,
  alter author_username set statistics 0,
  alter last_modified_by_user_id set statistics 0,
  alter last_modified_by_username set statistics 0,
  alter thumbnail_generation_version set statistics 0,
  alter ai_description_generation_version set statistics 0,
  alter ai_tags_generation_version set statistics 0,
  alter virus_scan_generation_version set statistics 0,
  alter ai_description_input_ref set statistics 0,
  alter intent_metadata set statistics 0,
  alter is_virtual_file set statistics 0;
