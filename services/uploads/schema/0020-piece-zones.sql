-- Where in each order the common pieces of names stand (of three characters, as in step 0015). The
-- orders of a large bucket are cut at fixed keys into zones, up to 1024. A zone in which a piece
-- never stood holds nothing that a search with that piece finds, so a list need not walk over it.
-- Nothing is taken back when names change: a bit says "perhaps", and only its absence says "no".
-- Imports are the only writers of uploads, and keep both tables (`store/write/add-to-zones.ts`).

-- No row: nothing is known of the bucket, and all of it is walked over.
create table if not exists uploads.zoned_buckets (
  bucket_id uuid primary key references uploads.buckets,
  -- How many there were when its zones were made.
  uploads bigint not null,
  -- The first key of each zone but the first, for each order.
  created_at timestamptz[] not null,
  updated_at timestamptz[] not null,
  filename text[] collate "C" not null,
  size_bytes bigint[] not null,
  "order" integer[] not null
);

-- No row: nothing is known of the piece.
create table if not exists uploads.piece_zones (
  bucket_id uuid not null references uploads.zoned_buckets on delete cascade,
  piece text collate "C" not null,
  created_at bit(1024) not null,
  updated_at bit(1024) not null,
  filename bit(1024) not null,
  size_bytes bit(1024) not null,
  "order" bit(1024) not null,
  primary key (bucket_id, piece)
);

-- The keys between which zones with a set bit lie, side by side as far as possible, in the order
-- asked for: from the first key up to one that is beyond. Null is no bound. Where there are no
-- zones, all keys.
create or replace function uploads.zone_stretches(
  zones bit, starts anyarray, descending boolean
) returns table (from_key anyelement, to_key anyelement)
  language plpgsql immutable parallel safe rows 10 as $$
declare
  -- Set where a zone differs from the one before it; nothing is set before the first, nor after
  -- the last.
  changes bit varying := (zones || B'0') # (B'0' || zones);
  -- The first zone of a stretch, and the first beyond it, of one stretch after the other.
  edges integer[] := array(
    select zone from generate_series(0, length(zones)) zone where get_bit(changes, zone) = 1);
  edge integer;
begin
  if zones is null then
    return next;
  end if;
  for stretch in 1 .. cardinality(edges) / 2 loop
    edge := case when descending then cardinality(edges) - 2 * stretch else 2 * stretch - 2 end;
    from_key := starts[edges[edge + 1]];
    to_key := starts[edges[edge + 2]];
    return next;
  end loop;
end $$;
