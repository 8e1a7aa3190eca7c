-- Buckets, and two numbers of each that imports change. The numbers are in tables of their own, so
-- that most imports only lock the row of a bucket and do not write it.

-- The number of each bucket that is or was in the index: rows of folders, uploads and integrations
-- have it in place of the ID, since it is in every key of their indexes. It is taken before the
-- bucket is made, so that imports that make it at the same time agree.
create table if not exists uploads.bucket_numbers (
  bucket_id uuid primary key,
  bucket_number integer not null generated always as identity
);

-- Finds the bucket of a request. Like the table before it, it is not divided by bucket.
create table if not exists uploads.buckets (
  bucket_id uuid primary key,
  bucket_number integer not null unique,
  -- In lower case.
  hostname text collate "C" not null unique,
  organisation_id text collate "C" not null,
  is_primary boolean not null default false
);

create unique index if not exists buckets_primary_of_organisation
  on uploads.buckets (organisation_id) where is_primary;

-- The version changes whenever what callers may see of the bucket may have changed. Servers cache
-- what is hidden from a client together with the version. Each statement that reads an answer also
-- reads the version, which shows whether the cache is stale. No row means version 0.
create table if not exists uploads.access_versions (
  bucket_id uuid primary key references uploads.buckets,
  version bigint not null
);

-- The number of folders and uploads, so that no request needs to count them.
create table if not exists uploads.bucket_sizes (
  bucket_id uuid primary key references uploads.buckets,
  folders bigint not null,
  uploads bigint not null
);
