-- A bucket's version changes whenever what callers may see of it does: another folder is hidden, or
-- an integration is another one. A server may so remember what a client sees and learn, in the very
-- statement that reads, whether that still holds. No row is version 0. It is a table of its own
-- because imports that make buckets lock the table of buckets.
create table if not exists uploads.access_versions (
  bucket_id uuid primary key references uploads.buckets,
  version bigint not null
);
