-- Uploads. A row holds what differs between uploads. What is a default, or equals another column,
-- is null. Answers are made from the columns when they are read (answers/upload-json.ts).

create table if not exists uploads.uploads (
  size_bytes bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- That of its folder.
  tree_position bigint not null,
  -- What an upload is filtered by, as 64 bits (search/signature.ts). The indexes of lists contain
  -- it, so a scan skips most uploads that are not looked for without reading their rows.
  signature bigint not null,
  bucket_number integer not null,
  "order" integer not null,
  type smallint not null,
  integration_hidden boolean not null,
  -- The ID, or its first characters if these are as good as random (model/id-prefix.ts): indexes
  -- order uploads with equal keys by it, and lists those with the same prefix by the ID.
  id_prefix text collate "C" not null,
  upload_id text collate "C" not null,
  filename text collate "C" not null,
  path text collate "C" not null,
  -- Null: the filename. The same in Unicode form C, and folded: null if that changes nothing.
  filename_nfc text collate "C",
  filename_folded text collate "C",
  slug text collate "C",
  slug_nfc text collate "C",
  slug_folded text collate "C",
  -- What an upload is found by beside its filename, as words (search/search-words.ts).
  search_words text collate "C",
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
  primary key (bucket_number, upload_id)
);

-- An index-only scan is fast only for pages that vacuum has processed since they were written. So
-- autovacuum runs early.
alter table uploads.uploads set (
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);

-- No condition compares these columns, so no plan needs their statistics. With them, ANALYZE would
-- take a tenth of the time of an import.
alter table uploads.uploads
  alter type set statistics 0,
  alter signature set statistics 0,
  alter intent_metadata set statistics 0,
  alter details set statistics 0;
