-- A small table, the only one that is not divided by bucket: it finds the bucket of a request.
create table if not exists uploads.buckets (
  bucket_id uuid primary key,
  -- In lower case.
  hostname text collate "C" not null unique,
  organisation_id text collate "C" not null,
  is_primary boolean not null default false
);

create unique index if not exists buckets_primary_of_organisation
  on uploads.buckets (organisation_id) where is_primary;
