-- Every sort of a bucket walks an index that carries all that a list is filtered by, so that what
-- is stepped over costs no look at a row.
create index if not exists uploads_in_bucket_by_created_at
  on uploads.uploads (bucket_id, created_at, upload_id) include (folder_key, facets);
create index if not exists uploads_in_bucket_by_updated_at
  on uploads.uploads (bucket_id, updated_at, upload_id) include (folder_key, created_at, facets);
create index if not exists uploads_in_bucket_by_filename
  on uploads.uploads (bucket_id, filename, upload_id) include (folder_key, created_at, facets);
create index if not exists uploads_in_bucket_by_size_bytes
  on uploads.uploads (bucket_id, size_bytes, upload_id) include (folder_key, created_at, facets);
create index if not exists uploads_in_bucket_by_order
  on uploads.uploads (bucket_id, "order", upload_id) include (folder_key, created_at, facets);

-- Every sort of one folder; that by filename is uploads_by_folder. Each has a hash of its own, by
-- the number: a list can so use the one index that is in its order, and no other.
create index if not exists uploads_in_folder_by_created_at
  on uploads.uploads (bucket_id, hashtextextended(folder_key, 1), created_at, upload_id);
create index if not exists uploads_in_folder_by_updated_at
  on uploads.uploads (bucket_id, hashtextextended(folder_key, 2), updated_at, upload_id);
create index if not exists uploads_in_folder_by_size_bytes
  on uploads.uploads (bucket_id, hashtextextended(folder_key, 3), size_bytes, upload_id);
create index if not exists uploads_in_folder_by_order
  on uploads.uploads (bucket_id, hashtextextended(folder_key, 4), "order", upload_id);

-- What they take the place of.
drop index if exists uploads.uploads_by_created_at, uploads.uploads_by_updated_at,
  uploads.uploads_by_filename, uploads.uploads_by_size_bytes, uploads.uploads_by_order;

-- An index answers alone only for pages that vacuum has seen since they were written.
alter table uploads.uploads set (
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
