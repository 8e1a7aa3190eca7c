-- How much is in a bucket, kept by the imports: whether a tree can be too large is known without
-- counting, however large the bucket. No row: nobody has kept count, and it has to be counted.
-- A table of its own for the same reason as the access versions (step 0009).
create table if not exists uploads.bucket_sizes (
  bucket_id uuid primary key references uploads.buckets,
  folders bigint not null,
  uploads bigint not null
);
