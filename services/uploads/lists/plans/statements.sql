-- The statements of lists: for a few requests every kind of plan, in the order in which they are
-- tried. The page is that of the first plan that is not truncated. Row budgets grow with each
-- try; only the first of each kind is shown. statements.test.ts writes this file.

-- The newest uploads of a bucket.

-- whole page
select (select coalesce((
      select v.version from uploads.access_versions v where v.bucket_id = b.bucket_id), 0)::text from uploads.buckets b
  where b.bucket_number = :bucketNumber and b.organisation_id = :organisationId
  and b.hostname = coalesce(:hostname, b.hostname)
  and b.is_primary = coalesce(:isPrimary, b.is_primary)) as text, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
union all
(select u.path, u.upload_id, u.filename, u.slug, u.size_bytes, u.type, u.tags, u.integration_id, case when u.integration_id is not null then (
    select i.document from uploads.integrations i
    where i.bucket_number = :bucketNumber and i.integration_id = u.integration_id) end, u.created_at, u.updated_at, u."order", u.integration_hidden, u.source_id is not null, u.external_path, u.intent_metadata, u.details from uploads.uploads u
  where u.bucket_number = :bucketNumber
  order by u."created_at" desc, u.id_prefix desc, u.upload_id desc limit 51)
limit :resultRows;

-- A search by name in a bucket, the largest first.

-- skip-index scan, at most 4080 entries
select (select coalesce((
      select v.version from uploads.access_versions v where v.bucket_id = b.bucket_id), 0)::text from uploads.buckets b
  where b.bucket_number = :bucketNumber and b.organisation_id = :organisationId
  and b.hostname = coalesce(:hostname, b.hostname)
  and b.is_primary = coalesce(:isPrimary, b.is_primary)) as text, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
union all
(select u.path, u.upload_id, u.filename, u.slug, u.size_bytes, u.type, u.tags, u.integration_id, case when u.integration_id is not null then (
    select i.document from uploads.integrations i
    where i.bucket_number = :bucketNumber and i.integration_id = u.integration_id) end, u.created_at, u.updated_at, u."order", u.integration_hidden, u.source_id is not null, u.external_path, u.intent_metadata, u.details from (
    select u.number, u."size_bytes", u.id_prefix from (
      select numbered.number, e.* from
      unnest(case when exists (
          select from uploads.skip_index_blocks where bucket_number = :bucketNumber and block = 0) then array(
          select s.block from generate_series(coalesce((
                select s.block from uploads.skip_index_blocks s
                where s.bucket_number = :bucketNumber and s."size_bytes" <= :startKey::bigint
                order by s."size_bytes" desc limit 1), 0) / 1024, coalesce((
                select s.block from uploads.skip_index_blocks s
                where s.bucket_number = :bucketNumber and s."size_bytes" <= :endKey::bigint
                order by s."size_bytes" desc limit 1), 0) / 1024,
            -1) with ordinality parts (part, number)
          cross join lateral (
            select bit_and(m."size_bytes") as blocks from uploads.skip_index_bitmaps m
            where m.bucket_number = :bucketNumber and m.part = parts.part
            and m.n_gram = any (:nGrams::text[])) bits
          cross join lateral (
            select s.block from uploads.skip_index_blocks s
            where s.bucket_number = :bucketNumber and s.block >= parts.part * 1024
            and s.block < (parts.part + 1) * 1024
            and s.block >= coalesce((
                select s.block from uploads.skip_index_blocks s
                where s.bucket_number = :bucketNumber and s."size_bytes" <= :endKey::bigint
                order by s."size_bytes" desc limit 1), 0) and s.block <= coalesce((
                select s.block from uploads.skip_index_blocks s
                where s.bucket_number = :bucketNumber and s."size_bytes" <= :startKey::bigint
                order by s."size_bytes" desc limit 1), 0)
            and coalesce(get_bit(bits.blocks, s.block % 1024), 1) = 1
            order by s.block desc offset 0) s
          where bits.blocks is distinct from 0::bit(1024)
          order by parts.number limit 64) else array[null::integer] end) with ordinality numbered (block, number)
      cross join lateral (
        select (
          select s."size_bytes" from uploads.skip_index_blocks s
          where s.bucket_number = :bucketNumber and s.block = numbered.block) as from_key,
        (
          select s."size_bytes" from uploads.skip_index_blocks s
          where s.bucket_number = :bucketNumber and s.block = numbered.block + 1) as to_key
        offset 0) b
      cross join lateral (
        select u."size_bytes", u."id_prefix", u."tree_position", u."signature", u."created_at" from uploads.uploads u
        where u.bucket_number = :bucketNumber and (u."size_bytes", u.id_prefix) <= (least(b.to_key, :startKey::bigint),
          case when b.to_key <= :startKey::bigint then '' else :startIdPrefix end)
        and u."size_bytes" >= greatest(b.from_key, :endKey::bigint)
        order by u."size_bytes" desc, u.id_prefix desc offset 0) e
      where (:isEndedByDate or not exists (
          select from uploads.skip_index_blocks where bucket_number = :bucketNumber and block = 0) or ((
            select count(*) from uploads.skip_index_bitmaps
            where bucket_number = :bucketNumber and part = 0 and n_gram = any (:nGrams::text[])
          ) = cardinality(:nGrams::text[]))) order by numbered.number limit 4080) u where (:isWholeBucket or (u.tree_position >= (select coalesce((
              select f.tree_position from uploads.folders f
              where f.bucket_number = :bucketNumber and f.tree_key >= :rangeFrom
              order by f.tree_key limit 1), 9223372036854775807))
        and u.tree_position < (select coalesce((
              select f.tree_position from uploads.folders f
              where f.bucket_number = :bucketNumber and f.tree_key >= :rangeTo
              order by f.tree_key limit 1), 9223372036854775807))
        and (cardinality(:rangeStarts::text[]) = 1 or u.tree_position <@ (
            select range_agg(int8range(coalesce((
                    select f.tree_position from uploads.folders f
                    where f.bucket_number = :bucketNumber and f.tree_key >= r.lower
                    order by f.tree_key limit 1), 9223372036854775807), coalesce((
                    select f.tree_position from uploads.folders f
                    where f.bucket_number = :bucketNumber and f.tree_key >= r.upper
                    order by f.tree_key limit 1), 9223372036854775807)))
            from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper))))) and u.signature & :signature::bigint = :signature::bigint
    group by u.number, u."size_bytes", u.id_prefix order by u.number, u."size_bytes" desc, u.id_prefix desc) c cross join lateral (
    select u.* from uploads.uploads u where u.bucket_number = :bucketNumber and u."size_bytes" = c."size_bytes" and u."id_prefix" = c."id_prefix" offset 0) u
  where (:isWholeBucket or (u.tree_position >= (select coalesce((
            select f.tree_position from uploads.folders f
            where f.bucket_number = :bucketNumber and f.tree_key >= :rangeFrom
            order by f.tree_key limit 1), 9223372036854775807))
      and u.tree_position < (select coalesce((
            select f.tree_position from uploads.folders f
            where f.bucket_number = :bucketNumber and f.tree_key >= :rangeTo
            order by f.tree_key limit 1), 9223372036854775807))
      and (cardinality(:rangeStarts::text[]) = 1 or u.tree_position <@ (
          select range_agg(int8range(coalesce((
                  select f.tree_position from uploads.folders f
                  where f.bucket_number = :bucketNumber and f.tree_key >= r.lower
                  order by f.tree_key limit 1), 9223372036854775807), coalesce((
                  select f.tree_position from uploads.folders f
                  where f.bucket_number = :bucketNumber and f.tree_key >= r.upper
                  order by f.tree_key limit 1), 9223372036854775807)))
          from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper))))) and u.signature & :signature::bigint = :signature::bigint and (coalesce(u.filename_folded, u.filename) like :namePattern
    or coalesce(u.slug_folded, u.slug) like :namePattern) and (u."size_bytes", u.id_prefix, u.upload_id) <
  (:startKey::bigint, :startIdPrefix, :startUploadId)
  order by c.number, c."size_bytes" desc, c.id_prefix desc, u.upload_id desc limit :pageRows)
union all
select case when ((not :isEndedByDate and exists (
      select from uploads.skip_index_blocks where bucket_number = :bucketNumber and block = 0)) or (cardinality(case when exists (
        select from uploads.skip_index_blocks where bucket_number = :bucketNumber and block = 0) then array(
        select s.block from generate_series(coalesce((
              select s.block from uploads.skip_index_blocks s
              where s.bucket_number = :bucketNumber and s."size_bytes" <= :startKey::bigint
              order by s."size_bytes" desc limit 1), 0) / 1024, coalesce((
              select s.block from uploads.skip_index_blocks s
              where s.bucket_number = :bucketNumber and s."size_bytes" <= :endKey::bigint
              order by s."size_bytes" desc limit 1), 0) / 1024,
          -1) with ordinality parts (part, number)
        cross join lateral (
          select bit_and(m."size_bytes") as blocks from uploads.skip_index_bitmaps m
          where m.bucket_number = :bucketNumber and m.part = parts.part
          and m.n_gram = any (:nGrams::text[])) bits
        cross join lateral (
          select s.block from uploads.skip_index_blocks s
          where s.bucket_number = :bucketNumber and s.block >= parts.part * 1024
          and s.block < (parts.part + 1) * 1024
          and s.block >= coalesce((
              select s.block from uploads.skip_index_blocks s
              where s.bucket_number = :bucketNumber and s."size_bytes" <= :endKey::bigint
              order by s."size_bytes" desc limit 1), 0) and s.block <= coalesce((
              select s.block from uploads.skip_index_blocks s
              where s.bucket_number = :bucketNumber and s."size_bytes" <= :startKey::bigint
              order by s."size_bytes" desc limit 1), 0)
          and coalesce(get_bit(bits.blocks, s.block % 1024), 1) = 1
          order by s.block desc offset 0) s
        where bits.blocks is distinct from 0::bit(1024)
        order by parts.number limit 65) else array[null::integer] end) > 64
    or exists (select from
      unnest(case when exists (
          select from uploads.skip_index_blocks where bucket_number = :bucketNumber and block = 0) then array(
          select s.block from generate_series(coalesce((
                select s.block from uploads.skip_index_blocks s
                where s.bucket_number = :bucketNumber and s."size_bytes" <= :startKey::bigint
                order by s."size_bytes" desc limit 1), 0) / 1024, coalesce((
                select s.block from uploads.skip_index_blocks s
                where s.bucket_number = :bucketNumber and s."size_bytes" <= :endKey::bigint
                order by s."size_bytes" desc limit 1), 0) / 1024,
            -1) with ordinality parts (part, number)
          cross join lateral (
            select bit_and(m."size_bytes") as blocks from uploads.skip_index_bitmaps m
            where m.bucket_number = :bucketNumber and m.part = parts.part
            and m.n_gram = any (:nGrams::text[])) bits
          cross join lateral (
            select s.block from uploads.skip_index_blocks s
            where s.bucket_number = :bucketNumber and s.block >= parts.part * 1024
            and s.block < (parts.part + 1) * 1024
            and s.block >= coalesce((
                select s.block from uploads.skip_index_blocks s
                where s.bucket_number = :bucketNumber and s."size_bytes" <= :endKey::bigint
                order by s."size_bytes" desc limit 1), 0) and s.block <= coalesce((
                select s.block from uploads.skip_index_blocks s
                where s.bucket_number = :bucketNumber and s."size_bytes" <= :startKey::bigint
                order by s."size_bytes" desc limit 1), 0)
            and coalesce(get_bit(bits.blocks, s.block % 1024), 1) = 1
            order by s.block desc offset 0) s
          where bits.blocks is distinct from 0::bit(1024)
          order by parts.number limit 64) else array[null::integer] end) with ordinality numbered (block, number)
      cross join lateral (
        select (
          select s."size_bytes" from uploads.skip_index_blocks s
          where s.bucket_number = :bucketNumber and s.block = numbered.block) as from_key,
        (
          select s."size_bytes" from uploads.skip_index_blocks s
          where s.bucket_number = :bucketNumber and s.block = numbered.block + 1) as to_key
        offset 0) b
      cross join lateral (
        select u."size_bytes", u."id_prefix", u."tree_position", u."signature", u."created_at" from uploads.uploads u
        where u.bucket_number = :bucketNumber and (u."size_bytes", u.id_prefix) <= (least(b.to_key, :startKey::bigint),
          case when b.to_key <= :startKey::bigint then '' else :startIdPrefix end)
        and u."size_bytes" >= greatest(b.from_key, :endKey::bigint)
        order by u."size_bytes" desc, u.id_prefix desc offset 0) e
      where (:isEndedByDate or not exists (
          select from uploads.skip_index_blocks where bucket_number = :bucketNumber and block = 0) or ((
            select count(*) from uploads.skip_index_bitmaps
            where bucket_number = :bucketNumber and part = 0 and n_gram = any (:nGrams::text[])
          ) = cardinality(:nGrams::text[]))) offset 4080))) then coalesce(
  (select s.uploads from uploads.bucket_sizes s where s.bucket_id = :bucketId), 0)::text end, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
limit :resultRows;

-- index fetch
with search as materialized (
  select case when count(*) <= :sampledMax
  then coalesce(:searchedPattern::text, '') end as pattern
  from (
    select from (
      select distinct u."order", u.id_prefix
      from ((select * from (
            select u."order", u.id_prefix, u.signature from uploads.uploads u
            where u.bucket_number = :bucketNumber
            order by u."order" asc, u.id_prefix asc limit 2000) u
          limit :sampledRows / 2) union all (select * from (
            select u."order", u.id_prefix, u.signature from uploads.uploads u
            where u.bucket_number = :bucketNumber
            order by u."order" desc, u.id_prefix desc limit 2000) u
          limit :sampledRows / 2)) u
      where u.signature & :signature::bigint = :signature::bigint) c
    cross join lateral (
      select u.* from uploads.uploads u
      where u.bucket_number = :bucketNumber
      and u."order" = c."order" and u.id_prefix = c.id_prefix offset 0) u
    where uploads.searched_text(u.filename, u.filename_folded, u.search_words) like :searchedPattern
    limit :sampledMax::bigint + 1) s),
found as materialized (
  select u.* from uploads.uploads u
  where u.bucket_number = :bucketNumber
  and uploads.searched_text(u.filename, u.filename_folded, u.search_words) like (select s.pattern from search s)),
fetched as not materialized (select * from found limit :fetchedMax::bigint + 1)
select (select coalesce((
      select v.version from uploads.access_versions v where v.bucket_id = b.bucket_id), 0)::text from uploads.buckets b
  where b.bucket_number = :bucketNumber and b.organisation_id = :organisationId
  and b.hostname = coalesce(:hostname, b.hostname)
  and b.is_primary = coalesce(:isPrimary, b.is_primary)) as text, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
union all
(select u.path, u.upload_id, u.filename, u.slug, u.size_bytes, u.type, u.tags, u.integration_id, case when u.integration_id is not null then (
    select i.document from uploads.integrations i
    where i.bucket_number = :bucketNumber and i.integration_id = u.integration_id) end, u.created_at, u.updated_at, u."order", u.integration_hidden, u.source_id is not null, u.external_path, u.intent_metadata, u.details from fetched u
  where not ((select s.pattern is null from search s)
    or (select count(*) from fetched) > :fetchedMax) and (:isWholeBucket or (u.tree_position >= (select coalesce((
            select f.tree_position from uploads.folders f
            where f.bucket_number = :bucketNumber and f.tree_key >= :rangeFrom
            order by f.tree_key limit 1), 9223372036854775807))
      and u.tree_position < (select coalesce((
            select f.tree_position from uploads.folders f
            where f.bucket_number = :bucketNumber and f.tree_key >= :rangeTo
            order by f.tree_key limit 1), 9223372036854775807))
      and (cardinality(:rangeStarts::text[]) = 1 or u.tree_position <@ (
          select range_agg(int8range(coalesce((
                  select f.tree_position from uploads.folders f
                  where f.bucket_number = :bucketNumber and f.tree_key >= r.lower
                  order by f.tree_key limit 1), 9223372036854775807), coalesce((
                  select f.tree_position from uploads.folders f
                  where f.bucket_number = :bucketNumber and f.tree_key >= r.upper
                  order by f.tree_key limit 1), 9223372036854775807)))
          from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper))))) and u.signature & :signature::bigint = :signature::bigint and (coalesce(u.filename_folded, u.filename) like :namePattern
    or coalesce(u.slug_folded, u.slug) like :namePattern) and (u."size_bytes", u.id_prefix, u.upload_id) <
  (:startKey::bigint, :startIdPrefix, :startUploadId)
  order by u."size_bytes" desc, u.id_prefix desc, u.upload_id desc limit :pageRows)
union all
select case when ((select s.pattern is null from search s)
  or (select count(*) from fetched) > :fetchedMax) then coalesce(
  (select s.uploads from uploads.bucket_sizes s where s.bucket_id = :bucketId), 0)::text end, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
limit :resultRows;

-- The uploads of a folder with a tag, by filename.

-- index scan, at most 1020 entries
select (select coalesce((
      select v.version from uploads.access_versions v where v.bucket_id = b.bucket_id), 0)::text from uploads.buckets b
  where b.bucket_number = :bucketNumber and b.organisation_id = :organisationId
  and b.hostname = coalesce(:hostname, b.hostname)
  and b.is_primary = coalesce(:isPrimary, b.is_primary)) as text, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
union all
(select u.path, u.upload_id, u.filename, u.slug, u.size_bytes, u.type, u.tags, u.integration_id, case when u.integration_id is not null then (
    select i.document from uploads.integrations i
    where i.bucket_number = :bucketNumber and i.integration_id = u.integration_id) end, u.created_at, u.updated_at, u."order", u.integration_hidden, u.source_id is not null, u.external_path, u.intent_metadata, u.details from (
    select distinct u."filename", u.id_prefix from (
      select u."filename", u."id_prefix", u."tree_position", u."signature" from uploads.uploads u
      where u.bucket_number = :bucketNumber and u.tree_position = (
        select f.tree_position from uploads.folders f
        where f.bucket_number = :bucketNumber and f.tree_key = :folderKey) and (u."filename", u.id_prefix) >=
      (:startKey::text, :startIdPrefix) order by u."filename" asc, u.id_prefix asc limit 1020) u
    where u.tree_position = (
      select f.tree_position from uploads.folders f
      where f.bucket_number = :bucketNumber and f.tree_key = :folderKey) and u.signature & :signature::bigint = :signature::bigint and (:seesHidden or not u.signature >= 4611686018427387904) order by u."filename" asc, u.id_prefix asc) c cross join lateral (
    select u.* from uploads.uploads u where u.bucket_number = :bucketNumber and u.tree_position = (
      select f.tree_position from uploads.folders f
      where f.bucket_number = :bucketNumber and f.tree_key = :folderKey) and u."filename" = c."filename" and u."id_prefix" = c."id_prefix" offset 0) u
  where u.tree_position = (
    select f.tree_position from uploads.folders f
    where f.bucket_number = :bucketNumber and f.tree_key = :folderKey) and u.signature & :signature::bigint = :signature::bigint and (not :isFiltered or (u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz
      and coalesce(u.tags, '{}') @> :tagsAllOf::text[]
      and (cardinality(:tagsAnyOf::text[]) = 0 or u.tags && :tagsAnyOf::text[])
      and not coalesce(u.tags, '{}') && :tagsNoneOf::text[]
      and (not u.integration_hidden or exists (
          select from uploads.integrations own
          where own.bucket_number = :bucketNumber and own.integration_id = u.integration_id
          and own.oauth_client_id = :clientId)))) and (:namePattern::text is null or (coalesce(u.filename_folded, u.filename) like :namePattern
      or coalesce(u.slug_folded, u.slug) like :namePattern)) and (u."filename", u.id_prefix, u.upload_id) >
  (:startKey::text, :startIdPrefix, :startUploadId)
  order by c."filename" asc, c.id_prefix asc, u.upload_id asc limit :pageRows)
union all
select case when exists (
  select u."filename", u."id_prefix", u."tree_position", u."signature" from uploads.uploads u
  where u.bucket_number = :bucketNumber and u.tree_position = (
    select f.tree_position from uploads.folders f
    where f.bucket_number = :bucketNumber and f.tree_key = :folderKey) and (u."filename", u.id_prefix) >=
  (:startKey::text, :startIdPrefix) order by u."filename" asc, u.id_prefix asc offset 1020) then coalesce(
  (select s.uploads from uploads.bucket_sizes s where s.bucket_id = :bucketId), 0)::text end, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
limit :resultRows;

-- index fetch
with search as materialized (
  select case when count(*) <= :sampledMax
  then coalesce(:searchedPattern::text, '') end as pattern
  from (
    select from (
      select distinct u."order", u.id_prefix
      from ((select * from (
            select u."order", u.id_prefix, u.signature from uploads.uploads u
            where u.bucket_number = :bucketNumber
            order by u."order" asc, u.id_prefix asc limit 2000) u
          limit :sampledRows / 2) union all (select * from (
            select u."order", u.id_prefix, u.signature from uploads.uploads u
            where u.bucket_number = :bucketNumber
            order by u."order" desc, u.id_prefix desc limit 2000) u
          limit :sampledRows / 2)) u
      where u.signature & :signature::bigint = :signature::bigint) c
    cross join lateral (
      select u.* from uploads.uploads u
      where u.bucket_number = :bucketNumber
      and u."order" = c."order" and u.id_prefix = c.id_prefix offset 0) u
    where uploads.searched_text(u.filename, u.filename_folded, u.search_words) like :searchedPattern
    limit :sampledMax::bigint + 1) s),
found as materialized (
  select u.* from uploads.uploads u
  where u.bucket_number = :bucketNumber
  and uploads.searched_text(u.filename, u.filename_folded, u.search_words) like (select s.pattern from search s)),
fetched as not materialized (select * from found limit :fetchedMax::bigint + 1)
select (select coalesce((
      select v.version from uploads.access_versions v where v.bucket_id = b.bucket_id), 0)::text from uploads.buckets b
  where b.bucket_number = :bucketNumber and b.organisation_id = :organisationId
  and b.hostname = coalesce(:hostname, b.hostname)
  and b.is_primary = coalesce(:isPrimary, b.is_primary)) as text, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
union all
(select u.path, u.upload_id, u.filename, u.slug, u.size_bytes, u.type, u.tags, u.integration_id, case when u.integration_id is not null then (
    select i.document from uploads.integrations i
    where i.bucket_number = :bucketNumber and i.integration_id = u.integration_id) end, u.created_at, u.updated_at, u."order", u.integration_hidden, u.source_id is not null, u.external_path, u.intent_metadata, u.details from fetched u
  where not ((select s.pattern is null from search s)
    or (select count(*) from fetched) > :fetchedMax) and u.tree_position = (
    select f.tree_position from uploads.folders f
    where f.bucket_number = :bucketNumber and f.tree_key = :folderKey) and u.signature & :signature::bigint = :signature::bigint and (not :isFiltered or (u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz
      and coalesce(u.tags, '{}') @> :tagsAllOf::text[]
      and (cardinality(:tagsAnyOf::text[]) = 0 or u.tags && :tagsAnyOf::text[])
      and not coalesce(u.tags, '{}') && :tagsNoneOf::text[]
      and (not u.integration_hidden or exists (
          select from uploads.integrations own
          where own.bucket_number = :bucketNumber and own.integration_id = u.integration_id
          and own.oauth_client_id = :clientId)))) and (:namePattern::text is null or (coalesce(u.filename_folded, u.filename) like :namePattern
      or coalesce(u.slug_folded, u.slug) like :namePattern)) and (u."filename", u.id_prefix, u.upload_id) >
  (:startKey::text, :startIdPrefix, :startUploadId)
  order by u."filename" asc, u.id_prefix asc, u.upload_id asc limit :pageRows)
union all
select case when ((select s.pattern is null from search s)
  or (select count(*) from fetched) > :fetchedMax) then coalesce(
  (select s.uploads from uploads.bucket_sizes s where s.bucket_id = :bucketId), 0)::text end, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
limit :resultRows;

-- folder, at most 16320 entries
with candidates as materialized (
  select u."tree_position", u."filename", u."id_prefix" from (
    select u.* from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper)
    cross join lateral (
      select coalesce((
          select f.tree_position from uploads.folders f
          where f.bucket_number = :bucketNumber and f.tree_key >= r.lower
          order by f.tree_key limit 1), 9223372036854775807) as first, coalesce((
          select f.tree_position from uploads.folders f
          where f.bucket_number = :bucketNumber and f.tree_key >= r.upper
          order by f.tree_key limit 1), 9223372036854775807) as next offset 0) p
    cross join lateral (
      select u.tree_position, u.filename, u.id_prefix, u.signature from uploads.uploads u
      where u.bucket_number = :bucketNumber
      and u.tree_position >= p.first and u.tree_position < p.next
      order by u.tree_position, u.filename, u.id_prefix offset 0) u limit 16320) u
  where u.tree_position = (
    select f.tree_position from uploads.folders f
    where f.bucket_number = :bucketNumber and f.tree_key = :folderKey) and u.signature & :signature::bigint = :signature::bigint and (:seesHidden or not u.signature >= 4611686018427387904) limit :fetchedMax::bigint + 1)
select (select coalesce((
      select v.version from uploads.access_versions v where v.bucket_id = b.bucket_id), 0)::text from uploads.buckets b
  where b.bucket_number = :bucketNumber and b.organisation_id = :organisationId
  and b.hostname = coalesce(:hostname, b.hostname)
  and b.is_primary = coalesce(:isPrimary, b.is_primary)) as text, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
union all
(select u.path, u.upload_id, u.filename, u.slug, u.size_bytes, u.type, u.tags, u.integration_id, case when u.integration_id is not null then (
    select i.document from uploads.integrations i
    where i.bucket_number = :bucketNumber and i.integration_id = u.integration_id) end, u.created_at, u.updated_at, u."order", u.integration_hidden, u.source_id is not null, u.external_path, u.intent_metadata, u.details from (select distinct u.* from candidates u) c cross join lateral (
    select u.* from uploads.uploads u where u.bucket_number = :bucketNumber and u."tree_position" = c."tree_position" and u."filename" = c."filename" and u."id_prefix" = c."id_prefix" offset 0) u
  where not ((select count(*) from candidates) > :fetchedMax
    or exists (
      select u.* from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper)
      cross join lateral (
        select coalesce((
            select f.tree_position from uploads.folders f
            where f.bucket_number = :bucketNumber and f.tree_key >= r.lower
            order by f.tree_key limit 1), 9223372036854775807) as first, coalesce((
            select f.tree_position from uploads.folders f
            where f.bucket_number = :bucketNumber and f.tree_key >= r.upper
            order by f.tree_key limit 1), 9223372036854775807) as next offset 0) p
      cross join lateral (
        select u.tree_position, u.filename, u.id_prefix, u.signature from uploads.uploads u
        where u.bucket_number = :bucketNumber
        and u.tree_position >= p.first and u.tree_position < p.next
        order by u.tree_position, u.filename, u.id_prefix offset 0) u offset 16320)) and u.tree_position = (
    select f.tree_position from uploads.folders f
    where f.bucket_number = :bucketNumber and f.tree_key = :folderKey) and u.signature & :signature::bigint = :signature::bigint and (not :isFiltered or (u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz
      and coalesce(u.tags, '{}') @> :tagsAllOf::text[]
      and (cardinality(:tagsAnyOf::text[]) = 0 or u.tags && :tagsAnyOf::text[])
      and not coalesce(u.tags, '{}') && :tagsNoneOf::text[]
      and (not u.integration_hidden or exists (
          select from uploads.integrations own
          where own.bucket_number = :bucketNumber and own.integration_id = u.integration_id
          and own.oauth_client_id = :clientId)))) and (:namePattern::text is null or (coalesce(u.filename_folded, u.filename) like :namePattern
      or coalesce(u.slug_folded, u.slug) like :namePattern)) and (u."filename", u.id_prefix, u.upload_id) >
  (:startKey::text, :startIdPrefix, :startUploadId)
  order by u."filename" asc, u.id_prefix asc, u.upload_id asc limit :pageRows)
union all
select case when ((select count(*) from candidates) > :fetchedMax
  or exists (
    select u.* from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper)
    cross join lateral (
      select coalesce((
          select f.tree_position from uploads.folders f
          where f.bucket_number = :bucketNumber and f.tree_key >= r.lower
          order by f.tree_key limit 1), 9223372036854775807) as first, coalesce((
          select f.tree_position from uploads.folders f
          where f.bucket_number = :bucketNumber and f.tree_key >= r.upper
          order by f.tree_key limit 1), 9223372036854775807) as next offset 0) p
    cross join lateral (
      select u.tree_position, u.filename, u.id_prefix, u.signature from uploads.uploads u
      where u.bucket_number = :bucketNumber
      and u.tree_position >= p.first and u.tree_position < p.next
      order by u.tree_position, u.filename, u.id_prefix offset 0) u offset 16320)) then coalesce(
  (select s.uploads from uploads.bucket_sizes s where s.bucket_id = :bucketId), 0)::text end, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
limit :resultRows;

-- The uploads of a subtree that were created since a date, by the time of their last change.

-- index scan, at most 4080 entries
select (select coalesce((
      select v.version from uploads.access_versions v where v.bucket_id = b.bucket_id), 0)::text from uploads.buckets b
  where b.bucket_number = :bucketNumber and b.organisation_id = :organisationId
  and b.hostname = coalesce(:hostname, b.hostname)
  and b.is_primary = coalesce(:isPrimary, b.is_primary)) as text, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
union all
(select u.path, u.upload_id, u.filename, u.slug, u.size_bytes, u.type, u.tags, u.integration_id, case when u.integration_id is not null then (
    select i.document from uploads.integrations i
    where i.bucket_number = :bucketNumber and i.integration_id = u.integration_id) end, u.created_at, u.updated_at, u."order", u.integration_hidden, u.source_id is not null, u.external_path, u.intent_metadata, u.details from (
    select distinct u."updated_at", u.id_prefix from (
      select u."updated_at", u."id_prefix", u."tree_position", u."signature", u."created_at" from uploads.uploads u
      where u.bucket_number = :bucketNumber and (u."updated_at", u.id_prefix) <=
      (:startKey::timestamptz, :startIdPrefix) order by u."updated_at" desc, u.id_prefix desc limit 4080) u
    where (:isWholeBucket or (u.tree_position >= (select coalesce((
              select f.tree_position from uploads.folders f
              where f.bucket_number = :bucketNumber and f.tree_key >= :rangeFrom
              order by f.tree_key limit 1), 9223372036854775807))
        and u.tree_position < (select coalesce((
              select f.tree_position from uploads.folders f
              where f.bucket_number = :bucketNumber and f.tree_key >= :rangeTo
              order by f.tree_key limit 1), 9223372036854775807))
        and (cardinality(:rangeStarts::text[]) = 1 or u.tree_position <@ (
            select range_agg(int8range(coalesce((
                    select f.tree_position from uploads.folders f
                    where f.bucket_number = :bucketNumber and f.tree_key >= r.lower
                    order by f.tree_key limit 1), 9223372036854775807), coalesce((
                    select f.tree_position from uploads.folders f
                    where f.bucket_number = :bucketNumber and f.tree_key >= r.upper
                    order by f.tree_key limit 1), 9223372036854775807)))
            from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper))))) and u.signature & :signature::bigint = :signature::bigint and (:seesHidden or not u.signature >= 4611686018427387904) and (not :isFiltered or (u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz)) order by u."updated_at" desc, u.id_prefix desc) c cross join lateral (
    select u.* from uploads.uploads u where u.bucket_number = :bucketNumber and u."updated_at" = c."updated_at" and u."id_prefix" = c."id_prefix" offset 0) u
  where (:isWholeBucket or (u.tree_position >= (select coalesce((
            select f.tree_position from uploads.folders f
            where f.bucket_number = :bucketNumber and f.tree_key >= :rangeFrom
            order by f.tree_key limit 1), 9223372036854775807))
      and u.tree_position < (select coalesce((
            select f.tree_position from uploads.folders f
            where f.bucket_number = :bucketNumber and f.tree_key >= :rangeTo
            order by f.tree_key limit 1), 9223372036854775807))
      and (cardinality(:rangeStarts::text[]) = 1 or u.tree_position <@ (
          select range_agg(int8range(coalesce((
                  select f.tree_position from uploads.folders f
                  where f.bucket_number = :bucketNumber and f.tree_key >= r.lower
                  order by f.tree_key limit 1), 9223372036854775807), coalesce((
                  select f.tree_position from uploads.folders f
                  where f.bucket_number = :bucketNumber and f.tree_key >= r.upper
                  order by f.tree_key limit 1), 9223372036854775807)))
          from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper))))) and u.signature & :signature::bigint = :signature::bigint and (not :isFiltered or (u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz
      and coalesce(u.tags, '{}') @> :tagsAllOf::text[]
      and (cardinality(:tagsAnyOf::text[]) = 0 or u.tags && :tagsAnyOf::text[])
      and not coalesce(u.tags, '{}') && :tagsNoneOf::text[]
      and (not u.integration_hidden or exists (
          select from uploads.integrations own
          where own.bucket_number = :bucketNumber and own.integration_id = u.integration_id
          and own.oauth_client_id = :clientId)))) and (:namePattern::text is null or (coalesce(u.filename_folded, u.filename) like :namePattern
      or coalesce(u.slug_folded, u.slug) like :namePattern)) and (u."updated_at", u.id_prefix, u.upload_id) <
  (:startKey::timestamptz, :startIdPrefix, :startUploadId)
  order by c."updated_at" desc, c.id_prefix desc, u.upload_id desc limit :pageRows)
union all
select case when exists (
  select u."updated_at", u."id_prefix", u."tree_position", u."signature", u."created_at" from uploads.uploads u
  where u.bucket_number = :bucketNumber and (u."updated_at", u.id_prefix) <=
  (:startKey::timestamptz, :startIdPrefix) order by u."updated_at" desc, u.id_prefix desc offset 4080) then coalesce(
  (select s.uploads from uploads.bucket_sizes s where s.bucket_id = :bucketId), 0)::text end, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
limit :resultRows;

-- range, at most 4080 entries
with candidates as materialized (
  select u."created_at", u."id_prefix" from (
    select u."created_at", u."id_prefix", u."tree_position", u."signature" from uploads.uploads u
    where u.bucket_number = :bucketNumber and u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz
    order by u."created_at", u.id_prefix limit 4080) u
  where (:isWholeBucket or (u.tree_position >= (select coalesce((
            select f.tree_position from uploads.folders f
            where f.bucket_number = :bucketNumber and f.tree_key >= :rangeFrom
            order by f.tree_key limit 1), 9223372036854775807))
      and u.tree_position < (select coalesce((
            select f.tree_position from uploads.folders f
            where f.bucket_number = :bucketNumber and f.tree_key >= :rangeTo
            order by f.tree_key limit 1), 9223372036854775807))
      and (cardinality(:rangeStarts::text[]) = 1 or u.tree_position <@ (
          select range_agg(int8range(coalesce((
                  select f.tree_position from uploads.folders f
                  where f.bucket_number = :bucketNumber and f.tree_key >= r.lower
                  order by f.tree_key limit 1), 9223372036854775807), coalesce((
                  select f.tree_position from uploads.folders f
                  where f.bucket_number = :bucketNumber and f.tree_key >= r.upper
                  order by f.tree_key limit 1), 9223372036854775807)))
          from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper))))) and u.signature & :signature::bigint = :signature::bigint and (:seesHidden or not u.signature >= 4611686018427387904) and (not :isFiltered or (u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz)) limit :fetchedMax::bigint + 1)
select (select coalesce((
      select v.version from uploads.access_versions v where v.bucket_id = b.bucket_id), 0)::text from uploads.buckets b
  where b.bucket_number = :bucketNumber and b.organisation_id = :organisationId
  and b.hostname = coalesce(:hostname, b.hostname)
  and b.is_primary = coalesce(:isPrimary, b.is_primary)) as text, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
union all
(select u.path, u.upload_id, u.filename, u.slug, u.size_bytes, u.type, u.tags, u.integration_id, case when u.integration_id is not null then (
    select i.document from uploads.integrations i
    where i.bucket_number = :bucketNumber and i.integration_id = u.integration_id) end, u.created_at, u.updated_at, u."order", u.integration_hidden, u.source_id is not null, u.external_path, u.intent_metadata, u.details from (select distinct u.* from candidates u) c cross join lateral (
    select u.* from uploads.uploads u where u.bucket_number = :bucketNumber and u."created_at" = c."created_at" and u."id_prefix" = c."id_prefix" offset 0) u
  where not ((select count(*) from candidates) > :fetchedMax
    or exists (
      select u."created_at", u."id_prefix", u."tree_position", u."signature" from uploads.uploads u
      where u.bucket_number = :bucketNumber and u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz
      order by u."created_at", u.id_prefix offset 4080)) and (:isWholeBucket or (u.tree_position >= (select coalesce((
            select f.tree_position from uploads.folders f
            where f.bucket_number = :bucketNumber and f.tree_key >= :rangeFrom
            order by f.tree_key limit 1), 9223372036854775807))
      and u.tree_position < (select coalesce((
            select f.tree_position from uploads.folders f
            where f.bucket_number = :bucketNumber and f.tree_key >= :rangeTo
            order by f.tree_key limit 1), 9223372036854775807))
      and (cardinality(:rangeStarts::text[]) = 1 or u.tree_position <@ (
          select range_agg(int8range(coalesce((
                  select f.tree_position from uploads.folders f
                  where f.bucket_number = :bucketNumber and f.tree_key >= r.lower
                  order by f.tree_key limit 1), 9223372036854775807), coalesce((
                  select f.tree_position from uploads.folders f
                  where f.bucket_number = :bucketNumber and f.tree_key >= r.upper
                  order by f.tree_key limit 1), 9223372036854775807)))
          from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper))))) and u.signature & :signature::bigint = :signature::bigint and (not :isFiltered or (u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz
      and coalesce(u.tags, '{}') @> :tagsAllOf::text[]
      and (cardinality(:tagsAnyOf::text[]) = 0 or u.tags && :tagsAnyOf::text[])
      and not coalesce(u.tags, '{}') && :tagsNoneOf::text[]
      and (not u.integration_hidden or exists (
          select from uploads.integrations own
          where own.bucket_number = :bucketNumber and own.integration_id = u.integration_id
          and own.oauth_client_id = :clientId)))) and (:namePattern::text is null or (coalesce(u.filename_folded, u.filename) like :namePattern
      or coalesce(u.slug_folded, u.slug) like :namePattern)) and (u."updated_at", u.id_prefix, u.upload_id) <
  (:startKey::timestamptz, :startIdPrefix, :startUploadId)
  order by u."updated_at" desc, u.id_prefix desc, u.upload_id desc limit :pageRows)
union all
select case when ((select count(*) from candidates) > :fetchedMax
  or exists (
    select u."created_at", u."id_prefix", u."tree_position", u."signature" from uploads.uploads u
    where u.bucket_number = :bucketNumber and u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz
    order by u."created_at", u.id_prefix offset 4080)) then coalesce(
  (select s.uploads from uploads.bucket_sizes s where s.bucket_id = :bucketId), 0)::text end, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
limit :resultRows;

-- folder, at most 16320 entries
with candidates as materialized (
  select u."tree_position", u."filename", u."id_prefix" from (
    select u.* from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper)
    cross join lateral (
      select coalesce((
          select f.tree_position from uploads.folders f
          where f.bucket_number = :bucketNumber and f.tree_key >= r.lower
          order by f.tree_key limit 1), 9223372036854775807) as first, coalesce((
          select f.tree_position from uploads.folders f
          where f.bucket_number = :bucketNumber and f.tree_key >= r.upper
          order by f.tree_key limit 1), 9223372036854775807) as next offset 0) p
    cross join lateral (
      select u.tree_position, u.filename, u.id_prefix, u.signature from uploads.uploads u
      where u.bucket_number = :bucketNumber
      and u.tree_position >= p.first and u.tree_position < p.next
      order by u.tree_position, u.filename, u.id_prefix offset 0) u limit 16320) u
  where (:isWholeBucket or (u.tree_position >= (select coalesce((
            select f.tree_position from uploads.folders f
            where f.bucket_number = :bucketNumber and f.tree_key >= :rangeFrom
            order by f.tree_key limit 1), 9223372036854775807))
      and u.tree_position < (select coalesce((
            select f.tree_position from uploads.folders f
            where f.bucket_number = :bucketNumber and f.tree_key >= :rangeTo
            order by f.tree_key limit 1), 9223372036854775807))
      and (cardinality(:rangeStarts::text[]) = 1 or u.tree_position <@ (
          select range_agg(int8range(coalesce((
                  select f.tree_position from uploads.folders f
                  where f.bucket_number = :bucketNumber and f.tree_key >= r.lower
                  order by f.tree_key limit 1), 9223372036854775807), coalesce((
                  select f.tree_position from uploads.folders f
                  where f.bucket_number = :bucketNumber and f.tree_key >= r.upper
                  order by f.tree_key limit 1), 9223372036854775807)))
          from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper))))) and u.signature & :signature::bigint = :signature::bigint and (:seesHidden or not u.signature >= 4611686018427387904) limit :fetchedMax::bigint + 1)
select (select coalesce((
      select v.version from uploads.access_versions v where v.bucket_id = b.bucket_id), 0)::text from uploads.buckets b
  where b.bucket_number = :bucketNumber and b.organisation_id = :organisationId
  and b.hostname = coalesce(:hostname, b.hostname)
  and b.is_primary = coalesce(:isPrimary, b.is_primary)) as text, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
union all
(select u.path, u.upload_id, u.filename, u.slug, u.size_bytes, u.type, u.tags, u.integration_id, case when u.integration_id is not null then (
    select i.document from uploads.integrations i
    where i.bucket_number = :bucketNumber and i.integration_id = u.integration_id) end, u.created_at, u.updated_at, u."order", u.integration_hidden, u.source_id is not null, u.external_path, u.intent_metadata, u.details from (select distinct u.* from candidates u) c cross join lateral (
    select u.* from uploads.uploads u where u.bucket_number = :bucketNumber and u."tree_position" = c."tree_position" and u."filename" = c."filename" and u."id_prefix" = c."id_prefix" offset 0) u
  where not ((select count(*) from candidates) > :fetchedMax
    or exists (
      select u.* from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper)
      cross join lateral (
        select coalesce((
            select f.tree_position from uploads.folders f
            where f.bucket_number = :bucketNumber and f.tree_key >= r.lower
            order by f.tree_key limit 1), 9223372036854775807) as first, coalesce((
            select f.tree_position from uploads.folders f
            where f.bucket_number = :bucketNumber and f.tree_key >= r.upper
            order by f.tree_key limit 1), 9223372036854775807) as next offset 0) p
      cross join lateral (
        select u.tree_position, u.filename, u.id_prefix, u.signature from uploads.uploads u
        where u.bucket_number = :bucketNumber
        and u.tree_position >= p.first and u.tree_position < p.next
        order by u.tree_position, u.filename, u.id_prefix offset 0) u offset 16320)) and (:isWholeBucket or (u.tree_position >= (select coalesce((
            select f.tree_position from uploads.folders f
            where f.bucket_number = :bucketNumber and f.tree_key >= :rangeFrom
            order by f.tree_key limit 1), 9223372036854775807))
      and u.tree_position < (select coalesce((
            select f.tree_position from uploads.folders f
            where f.bucket_number = :bucketNumber and f.tree_key >= :rangeTo
            order by f.tree_key limit 1), 9223372036854775807))
      and (cardinality(:rangeStarts::text[]) = 1 or u.tree_position <@ (
          select range_agg(int8range(coalesce((
                  select f.tree_position from uploads.folders f
                  where f.bucket_number = :bucketNumber and f.tree_key >= r.lower
                  order by f.tree_key limit 1), 9223372036854775807), coalesce((
                  select f.tree_position from uploads.folders f
                  where f.bucket_number = :bucketNumber and f.tree_key >= r.upper
                  order by f.tree_key limit 1), 9223372036854775807)))
          from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper))))) and u.signature & :signature::bigint = :signature::bigint and (not :isFiltered or (u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz
      and coalesce(u.tags, '{}') @> :tagsAllOf::text[]
      and (cardinality(:tagsAnyOf::text[]) = 0 or u.tags && :tagsAnyOf::text[])
      and not coalesce(u.tags, '{}') && :tagsNoneOf::text[]
      and (not u.integration_hidden or exists (
          select from uploads.integrations own
          where own.bucket_number = :bucketNumber and own.integration_id = u.integration_id
          and own.oauth_client_id = :clientId)))) and (:namePattern::text is null or (coalesce(u.filename_folded, u.filename) like :namePattern
      or coalesce(u.slug_folded, u.slug) like :namePattern)) and (u."updated_at", u.id_prefix, u.upload_id) <
  (:startKey::timestamptz, :startIdPrefix, :startUploadId)
  order by u."updated_at" desc, u.id_prefix desc, u.upload_id desc limit :pageRows)
union all
select case when ((select count(*) from candidates) > :fetchedMax
  or exists (
    select u.* from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper)
    cross join lateral (
      select coalesce((
          select f.tree_position from uploads.folders f
          where f.bucket_number = :bucketNumber and f.tree_key >= r.lower
          order by f.tree_key limit 1), 9223372036854775807) as first, coalesce((
          select f.tree_position from uploads.folders f
          where f.bucket_number = :bucketNumber and f.tree_key >= r.upper
          order by f.tree_key limit 1), 9223372036854775807) as next offset 0) p
    cross join lateral (
      select u.tree_position, u.filename, u.id_prefix, u.signature from uploads.uploads u
      where u.bucket_number = :bucketNumber
      and u.tree_position >= p.first and u.tree_position < p.next
      order by u.tree_position, u.filename, u.id_prefix offset 0) u offset 16320)) then coalesce(
  (select s.uploads from uploads.bucket_sizes s where s.bucket_id = :bucketId), 0)::text end, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
limit :resultRows;
