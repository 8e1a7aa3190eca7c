-- Number and bytes of the uploads in each folder, and of those in and under it, so that totals of
-- trees cost what they show. They belong to paths, in narrow rows of their own: folders' documents
-- are not rewritten. A folder without uploads in or under it has no row. Sums may exceed bigint.
create table if not exists uploads.folder_totals (
  bucket_id uuid not null references uploads.buckets,
  tree_key text collate "C" not null,
  uploads bigint not null,
  size_bytes numeric not null,
  subtree_uploads bigint not null,
  subtree_size_bytes numeric not null,
  primary key (bucket_id, tree_key)
);

-- Imports of the previous version that are running would not be counted.
lock table uploads.uploads in share mode;

insert into uploads.folder_totals
select own.bucket_id, uploads.tree_key(above.path),
  coalesce(sum(own.uploads) filter (where above.path = own.path), 0),
  coalesce(sum(own.size_bytes) filter (where above.path = own.path), 0),
  sum(own.uploads), sum(own.size_bytes)
from (
  select f.bucket_id, f.path, u.uploads, u.size_bytes,
    string_to_array(substr(f.path, 2), '/') as names
  from (
    select bucket_id, folder_key, count(*) as uploads, sum(size_bytes) as size_bytes
    from uploads.uploads group by bucket_id, folder_key) u
  join uploads.folders f on f.bucket_id = u.bucket_id and f.tree_key = u.folder_key) own
cross join lateral (
  select '/' || array_to_string(own.names[1:level], '/') collate "C" as path
  from generate_series(0, cardinality(own.names)) level) above
group by own.bucket_id, above.path
on conflict do nothing;

-- Until autovacuum analyzes the table, the planner would assume that it is small.
analyze uploads.folder_totals;
