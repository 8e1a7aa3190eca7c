-- The skip index of large buckets: which blocks of an order contain an n-gram (docs/lists.md). Each
-- order is divided at fixed keys into blocks of about 256 uploads, so that a search for one text
-- finds about one upload in each block that it reads. A bit says that an n-gram may be in a name of
-- the block. Bits are not cleared when names change: only a bit that is not set is certain.

-- No row: the bucket has no skip index, and searches scan all of it.
create table if not exists uploads.skip_index_buckets (
  bucket_number integer primary key references uploads.buckets (bucket_number),
  -- How many the bucket had when its skip index was built.
  uploads bigint not null
);

-- The first key of each block, in each order. Null in block 0: it starts with the order itself.
-- Null in another block: the order has fewer blocks.
create table if not exists uploads.skip_index_blocks (
  bucket_number integer not null references uploads.skip_index_buckets on delete cascade,
  block integer not null,
  created_at timestamptz,
  updated_at timestamptz,
  filename text collate "C",
  size_bytes bigint,
  "order" integer,
  primary key (bucket_number, block)
);

create index if not exists skip_index_blocks_by_created_at
  on uploads.skip_index_blocks (bucket_number, created_at);
create index if not exists skip_index_blocks_by_updated_at
  on uploads.skip_index_blocks (bucket_number, updated_at);
create index if not exists skip_index_blocks_by_filename
  on uploads.skip_index_blocks (bucket_number, filename);
create index if not exists skip_index_blocks_by_size_bytes
  on uploads.skip_index_blocks (bucket_number, size_bytes);
create index if not exists skip_index_blocks_by_order
  on uploads.skip_index_blocks (bucket_number, "order");

-- The bitmaps of frequent n-grams of one to three characters, in parts of 1024 blocks, so that a
-- write changes little and a search reads little. Bit n % 1024 of part n / 1024 is that of block n.
-- No row: nothing is known of the n-gram in these blocks.
create table if not exists uploads.skip_index_bitmaps (
  bucket_number integer not null references uploads.skip_index_buckets on delete cascade,
  part integer not null,
  n_gram text collate "C" not null,
  created_at bit(1024) not null,
  updated_at bit(1024) not null,
  filename bit(1024) not null,
  size_bytes bit(1024) not null,
  "order" bit(1024) not null,
  primary key (bucket_number, part, n_gram)
);
