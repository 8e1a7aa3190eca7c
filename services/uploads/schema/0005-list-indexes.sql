-- Indexes in the orders of lists and trees: see docs/lists.md and docs/trees.md.

-- One of the bucket for each order. Each contains what a list is filtered by, so that a scan reads
-- no row of most uploads that it skips.
create index if not exists uploads_in_bucket_by_created_at
  on uploads.uploads (bucket_number, created_at, id_prefix)
  include (tree_position, signature);
create index if not exists uploads_in_bucket_by_updated_at
  on uploads.uploads (bucket_number, updated_at, id_prefix)
  include (tree_position, signature, created_at);
create index if not exists uploads_in_bucket_by_filename
  on uploads.uploads (bucket_number, filename, id_prefix)
  include (tree_position, signature, created_at);
create index if not exists uploads_in_bucket_by_size_bytes
  on uploads.uploads (bucket_number, size_bytes, id_prefix)
  include (tree_position, signature, created_at);
create index if not exists uploads_in_bucket_by_order
  on uploads.uploads (bucket_number, "order", id_prefix)
  include (tree_position, signature, created_at);

-- One of a folder for each order but that by filename, which is below. Each has another number for
-- the folder. So a list can only use the index in its own order: with the same number in all of
-- them, the planner may choose another one, and sort.
create index if not exists uploads_in_folder_by_created_at
  on uploads.uploads (bucket_number, (tree_position + 1), created_at, id_prefix);
create index if not exists uploads_in_folder_by_updated_at
  on uploads.uploads (bucket_number, (tree_position + 2), updated_at, id_prefix);
create index if not exists uploads_in_folder_by_size_bytes
  on uploads.uploads (bucket_number, (tree_position + 3), size_bytes, id_prefix);
create index if not exists uploads_in_folder_by_order
  on uploads.uploads (bucket_number, (tree_position + 4), "order", id_prefix);

-- The uploads of a folder by filename, for lists and trees. It contains what totals are counted
-- from and what names are searched in, so that trees read nothing but the index for these.
create index if not exists uploads_of_folder
  on uploads.uploads (bucket_number, tree_position, filename, id_prefix)
  include (size_bytes, signature);

-- Whether a bucket has hidden uploads at all. Few do: lists of the others need not check each
-- upload.
create index if not exists uploads_hidden
  on uploads.uploads (bucket_number) where integration_hidden;
