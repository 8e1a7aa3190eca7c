-- Zones of some 256 uploads each, up to 65,536 of them: a search for one text then mostly finds one
-- in each zone that it walks over. Their first keys are rows, and the bits of a piece are in
-- parts of 1024 zones, so that what is read and written of them is small. Pieces of one and two
-- characters are kept too. Imports make the zones of large buckets anew.

drop table if exists uploads.piece_zones;
drop function if exists uploads.zone_stretches(bit, anyarray, boolean);
delete from uploads.zoned_buckets;
alter table uploads.zoned_buckets drop column if exists created_at,
  drop column if exists updated_at, drop column if exists filename,
  drop column if exists size_bytes, drop column if exists "order";

-- The first key of each zone of a bucket, in each order. Null: in zone 0, which begins with the
-- order itself; in others, that the order has fewer zones.
create table if not exists uploads.zones (
  bucket_id uuid not null references uploads.zoned_buckets on delete cascade,
  zone integer not null,
  created_at timestamptz,
  updated_at timestamptz,
  filename text collate "C",
  size_bytes bigint,
  "order" integer,
  primary key (bucket_id, zone)
);
create index if not exists zones_by_created_at on uploads.zones (bucket_id, created_at);
create index if not exists zones_by_updated_at on uploads.zones (bucket_id, updated_at);
create index if not exists zones_by_filename on uploads.zones (bucket_id, filename);
create index if not exists zones_by_size_bytes on uploads.zones (bucket_id, size_bytes);
create index if not exists zones_by_order on uploads.zones (bucket_id, "order");

-- Of zone n the part n / 1024 has the bit n % 1024. No row: nothing is known of the piece there.
create table if not exists uploads.piece_zones (
  bucket_id uuid not null references uploads.zoned_buckets on delete cascade,
  part integer not null,
  piece text collate "C" not null,
  created_at bit(1024) not null,
  updated_at bit(1024) not null,
  filename bit(1024) not null,
  size_bytes bit(1024) not null,
  "order" bit(1024) not null,
  primary key (bucket_id, part, piece)
);
