-- Indexes in the orders of lists and trees: see docs/lists.md and docs/trees.md.

-- One of the bucket for each order. Each contains everything that a list is filtered by, so that a
-- scan reads no row of an upload that it skips.
create index if not exists uploads_in_bucket_by_created_at
  on uploads.uploads (bucket_id, created_at, upload_id)
  include (folder_key, filter_text);
create index if not exists uploads_in_bucket_by_updated_at
  on uploads.uploads (bucket_id, updated_at, upload_id)
  include (folder_key, created_at, filter_text);
create index if not exists uploads_in_bucket_by_filename
  on uploads.uploads (bucket_id, filename, upload_id)
  include (folder_key, created_at, filter_text);
create index if not exists uploads_in_bucket_by_size_bytes
  on uploads.uploads (bucket_id, size_bytes, upload_id)
  include (folder_key, created_at, filter_text);
create index if not exists uploads_in_bucket_by_order
  on uploads.uploads (bucket_id, "order", upload_id)
  include (folder_key, created_at, filter_text);

-- One of a folder for each order but that by filename, which is below. Each has a hash of the
-- folder with another seed. So a list can only use the index in its own order: with the folder
-- itself in all of them, the planner may choose another one, and sort.
create index if not exists uploads_in_folder_by_created_at
  on uploads.uploads (bucket_id, hashtextextended(folder_key, 1), created_at, upload_id);
create index if not exists uploads_in_folder_by_updated_at
  on uploads.uploads (bucket_id, hashtextextended(folder_key, 2), updated_at, upload_id);
create index if not exists uploads_in_folder_by_size_bytes
  on uploads.uploads (bucket_id, hashtextextended(folder_key, 3), size_bytes, upload_id);
create index if not exists uploads_in_folder_by_order
  on uploads.uploads (bucket_id, hashtextextended(folder_key, 4), "order", upload_id);

-- The uploads of a folder by filename, for lists and trees. It contains what totals are counted
-- from and what names are searched in, so that trees read nothing but the index for these.
create index if not exists uploads_of_folder
  on uploads.uploads (bucket_id, folder_key, filename, upload_id)
  include (size_bytes, integration_hidden, integration_id, filter_text);

-- Whether a bucket has hidden uploads at all. Few do: lists of the others need not check each
-- upload.
create index if not exists uploads_hidden
  on uploads.uploads (bucket_id) where integration_hidden;
