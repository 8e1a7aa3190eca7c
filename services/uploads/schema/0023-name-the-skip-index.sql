-- Standard terms for the tables that let searches skip blocks of an order, and for the text that
-- indexes carry for filters. Only names change. The version before this one cannot read the new
-- names: stop it before this migration runs.

do $$
begin
  if to_regclass('uploads.zoned_buckets') is not null then
    alter table uploads.zoned_buckets rename to skip_index_buckets;
    alter table uploads.skip_index_buckets
      rename constraint zoned_buckets_pkey to skip_index_buckets_pkey;
    alter table uploads.skip_index_buckets
      rename constraint zoned_buckets_bucket_id_fkey to skip_index_buckets_bucket_id_fkey;

    alter table uploads.zones rename to skip_index_blocks;
    alter table uploads.skip_index_blocks rename column zone to block;
    alter table uploads.skip_index_blocks rename constraint zones_pkey to skip_index_blocks_pkey;
    alter table uploads.skip_index_blocks
      rename constraint zones_bucket_id_fkey to skip_index_blocks_bucket_id_fkey;
    alter index uploads.zones_by_created_at rename to skip_index_blocks_by_created_at;
    alter index uploads.zones_by_updated_at rename to skip_index_blocks_by_updated_at;
    alter index uploads.zones_by_filename rename to skip_index_blocks_by_filename;
    alter index uploads.zones_by_size_bytes rename to skip_index_blocks_by_size_bytes;
    alter index uploads.zones_by_order rename to skip_index_blocks_by_order;

    alter table uploads.piece_zones rename to skip_index_bitmaps;
    alter table uploads.skip_index_bitmaps rename column piece to n_gram;
    alter table uploads.skip_index_bitmaps
      rename constraint piece_zones_pkey to skip_index_bitmaps_pkey;
    alter table uploads.skip_index_bitmaps
      rename constraint piece_zones_bucket_id_fkey to skip_index_bitmaps_bucket_id_fkey;
  end if;

  if exists (
    select from information_schema.columns
    where table_schema = 'uploads' and table_name = 'uploads' and column_name = 'facets'
  ) then
    alter table uploads.uploads rename column facets to filter_text;
    alter function uploads.upload_facets(text, text, text, text[], boolean)
      rename to upload_filter_text;
  end if;
end $$;
