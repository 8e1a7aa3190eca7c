-- The number and bytes of the uploads in each folder, and in its subtree, so that the cost of
-- totals depends on the folders in an answer, not on the uploads below them. Imports change the
-- totals of all folders above an upload, so they are in narrow rows of their own: writing a folder
-- again would generate its document again. A folder without uploads in its subtree has no row. Sums
-- of bytes may exceed bigint.
create table if not exists uploads.folder_totals (
  bucket_id uuid not null references uploads.buckets,
  tree_key text collate "C" not null,
  uploads bigint not null,
  size_bytes numeric not null,
  subtree_uploads bigint not null,
  subtree_size_bytes numeric not null,
  primary key (bucket_id, tree_key)
);
