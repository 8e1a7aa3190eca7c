-- The statements of lists: for a few requests every kind of plan, in the order in which they are
-- tried. The page is that of the first plan that is not truncated. Row budgets grow with each
-- try; only the first of each kind is shown. statements.test.ts writes this file.

-- The newest uploads of a bucket.

-- whole page
select (select coalesce((
      select v.version from uploads.access_versions v where v.bucket_id = :bucketId), 0)::text from uploads.buckets b
  where b.bucket_id = :bucketId and b.organisation_id = :organisationId
  and b.hostname = coalesce(:hostname, b.hostname)
  and b.is_primary = coalesce(:isPrimary, b.is_primary)) as text, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
union all
(select u.folder_key, u.upload_id, u.filename, u.slug, u.size_bytes, u.type, u.tags, u.integration_id, case when u.integration_id is not null then (
    select i.document from uploads.integrations i
    where i.bucket_id = :bucketId and i.integration_id = u.integration_id) end, u.created_at, u.updated_at, u."order", u.integration_hidden, u.source_id is not null, u.external_path, u.intent_metadata, u.details from uploads.uploads u
  where u.bucket_id = :bucketId
  order by u.created_at desc, u.upload_id desc limit 51)
limit :resultRows;

-- A search by name in a bucket, the largest first.

-- skip-index scan, at most 4080 entries
select (select coalesce((
      select v.version from uploads.access_versions v where v.bucket_id = :bucketId), 0)::text from uploads.buckets b
  where b.bucket_id = :bucketId and b.organisation_id = :organisationId
  and b.hostname = coalesce(:hostname, b.hostname)
  and b.is_primary = coalesce(:isPrimary, b.is_primary)) as text, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
union all
(select u.folder_key, u.upload_id, u.filename, u.slug, u.size_bytes, u.type, u.tags, u.integration_id, case when u.integration_id is not null then (
    select i.document from uploads.integrations i
    where i.bucket_id = :bucketId and i.integration_id = u.integration_id) end, u.created_at, u.updated_at, u."order", u.integration_hidden, u.source_id is not null, u.external_path, u.intent_metadata, u.details from (
    select u.number, u.upload_id from (
      select numbered.number, e.* from
      unnest(case when exists (
          select from uploads.skip_index_blocks where bucket_id = :bucketId and block = 0) then array(
          select s.block from generate_series(coalesce((
                select s.block from uploads.skip_index_blocks s
                where s.bucket_id = :bucketId and s."size_bytes" <= :startKey::bigint
                order by s."size_bytes" desc limit 1), 0) / 1024, coalesce((
                select s.block from uploads.skip_index_blocks s
                where s.bucket_id = :bucketId and s."size_bytes" <= :endKey::bigint
                order by s."size_bytes" desc limit 1), 0) / 1024,
            -1) with ordinality parts (part, number)
          cross join lateral (
            select bit_and(m."size_bytes") as blocks from uploads.skip_index_bitmaps m
            where m.bucket_id = :bucketId and m.part = parts.part
            and m.n_gram = any (:nGrams::text[])) bits
          cross join lateral (
            select s.block from uploads.skip_index_blocks s
            where s.bucket_id = :bucketId and s.block >= parts.part * 1024
            and s.block < (parts.part + 1) * 1024
            and s.block >= coalesce((
                select s.block from uploads.skip_index_blocks s
                where s.bucket_id = :bucketId and s."size_bytes" <= :endKey::bigint
                order by s."size_bytes" desc limit 1), 0) and s.block <= coalesce((
                select s.block from uploads.skip_index_blocks s
                where s.bucket_id = :bucketId and s."size_bytes" <= :startKey::bigint
                order by s."size_bytes" desc limit 1), 0)
            and coalesce(get_bit(bits.blocks, s.block % 1024), 1) = 1
            order by s.block desc offset 0) s
          where bits.blocks is distinct from 0::bit(1024)
          order by parts.number limit 64) else array[null::integer] end) with ordinality numbered (block, number)
      cross join lateral (
        select (
          select s."size_bytes" from uploads.skip_index_blocks s
          where s.bucket_id = :bucketId and s.block = numbered.block) as from_key,
        (
          select s."size_bytes" from uploads.skip_index_blocks s
          where s.bucket_id = :bucketId and s.block = numbered.block + 1) as to_key
        offset 0) b
      cross join lateral (
        select u.upload_id, u.folder_key, u.filter_text, u.created_at from uploads.uploads u
        where u.bucket_id = :bucketId and (u.size_bytes, u.upload_id) < (least(b.to_key, :startKey::bigint),
          case when b.to_key <= :startKey::bigint then '' else :startUploadId end)
        and u.size_bytes >= greatest(b.from_key, :endKey::bigint)
        order by u.size_bytes desc, u.upload_id desc offset 0) e
      where (:isEndedByDate or not exists (
          select from uploads.skip_index_blocks where bucket_id = :bucketId and block = 0) or ((
            select count(*) from uploads.skip_index_bitmaps
            where bucket_id = :bucketId and part = 0 and n_gram = any (:nGrams::text[])
          ) = cardinality(:nGrams::text[]))) order by numbered.number limit 4080) u
    where (:isWholeBucket or (u.folder_key >= :rangeFrom and u.folder_key < :rangeTo
        and (cardinality(:rangeStarts::text[]) = 1 or u.folder_key <@ (
            select range_agg(uploads.key_range(r.lower, r.upper))
            from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper))))) and (u.filter_text is null or (strpos(u.filter_text, :nameText) > 0
        and (:filterTextPattern::text is null or u.filter_text like :filterTextPattern))) order by u.number) c cross join lateral (
    select u.* from uploads.uploads u
    where u.bucket_id = :bucketId and u.upload_id = c.upload_id offset 0) u
  where (:isWholeBucket or (u.folder_key >= :rangeFrom and u.folder_key < :rangeTo
      and (cardinality(:rangeStarts::text[]) = 1 or u.folder_key <@ (
          select range_agg(uploads.key_range(r.lower, r.upper))
          from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper))))) and (coalesce(u.filename_folded, u.filename) like :namePattern
    or coalesce(u.slug_folded, u.slug) like :namePattern)
  order by c.number limit :pageRows)
union all
select case when ((not :isEndedByDate and exists (
      select from uploads.skip_index_blocks where bucket_id = :bucketId and block = 0)) or (cardinality(case when exists (
        select from uploads.skip_index_blocks where bucket_id = :bucketId and block = 0) then array(
        select s.block from generate_series(coalesce((
              select s.block from uploads.skip_index_blocks s
              where s.bucket_id = :bucketId and s."size_bytes" <= :startKey::bigint
              order by s."size_bytes" desc limit 1), 0) / 1024, coalesce((
              select s.block from uploads.skip_index_blocks s
              where s.bucket_id = :bucketId and s."size_bytes" <= :endKey::bigint
              order by s."size_bytes" desc limit 1), 0) / 1024,
          -1) with ordinality parts (part, number)
        cross join lateral (
          select bit_and(m."size_bytes") as blocks from uploads.skip_index_bitmaps m
          where m.bucket_id = :bucketId and m.part = parts.part
          and m.n_gram = any (:nGrams::text[])) bits
        cross join lateral (
          select s.block from uploads.skip_index_blocks s
          where s.bucket_id = :bucketId and s.block >= parts.part * 1024
          and s.block < (parts.part + 1) * 1024
          and s.block >= coalesce((
              select s.block from uploads.skip_index_blocks s
              where s.bucket_id = :bucketId and s."size_bytes" <= :endKey::bigint
              order by s."size_bytes" desc limit 1), 0) and s.block <= coalesce((
              select s.block from uploads.skip_index_blocks s
              where s.bucket_id = :bucketId and s."size_bytes" <= :startKey::bigint
              order by s."size_bytes" desc limit 1), 0)
          and coalesce(get_bit(bits.blocks, s.block % 1024), 1) = 1
          order by s.block desc offset 0) s
        where bits.blocks is distinct from 0::bit(1024)
        order by parts.number limit 65) else array[null::integer] end) > 64
    or exists (select from
      unnest(case when exists (
          select from uploads.skip_index_blocks where bucket_id = :bucketId and block = 0) then array(
          select s.block from generate_series(coalesce((
                select s.block from uploads.skip_index_blocks s
                where s.bucket_id = :bucketId and s."size_bytes" <= :startKey::bigint
                order by s."size_bytes" desc limit 1), 0) / 1024, coalesce((
                select s.block from uploads.skip_index_blocks s
                where s.bucket_id = :bucketId and s."size_bytes" <= :endKey::bigint
                order by s."size_bytes" desc limit 1), 0) / 1024,
            -1) with ordinality parts (part, number)
          cross join lateral (
            select bit_and(m."size_bytes") as blocks from uploads.skip_index_bitmaps m
            where m.bucket_id = :bucketId and m.part = parts.part
            and m.n_gram = any (:nGrams::text[])) bits
          cross join lateral (
            select s.block from uploads.skip_index_blocks s
            where s.bucket_id = :bucketId and s.block >= parts.part * 1024
            and s.block < (parts.part + 1) * 1024
            and s.block >= coalesce((
                select s.block from uploads.skip_index_blocks s
                where s.bucket_id = :bucketId and s."size_bytes" <= :endKey::bigint
                order by s."size_bytes" desc limit 1), 0) and s.block <= coalesce((
                select s.block from uploads.skip_index_blocks s
                where s.bucket_id = :bucketId and s."size_bytes" <= :startKey::bigint
                order by s."size_bytes" desc limit 1), 0)
            and coalesce(get_bit(bits.blocks, s.block % 1024), 1) = 1
            order by s.block desc offset 0) s
          where bits.blocks is distinct from 0::bit(1024)
          order by parts.number limit 64) else array[null::integer] end) with ordinality numbered (block, number)
      cross join lateral (
        select (
          select s."size_bytes" from uploads.skip_index_blocks s
          where s.bucket_id = :bucketId and s.block = numbered.block) as from_key,
        (
          select s."size_bytes" from uploads.skip_index_blocks s
          where s.bucket_id = :bucketId and s.block = numbered.block + 1) as to_key
        offset 0) b
      cross join lateral (
        select u.upload_id, u.folder_key, u.filter_text, u.created_at from uploads.uploads u
        where u.bucket_id = :bucketId and (u.size_bytes, u.upload_id) < (least(b.to_key, :startKey::bigint),
          case when b.to_key <= :startKey::bigint then '' else :startUploadId end)
        and u.size_bytes >= greatest(b.from_key, :endKey::bigint)
        order by u.size_bytes desc, u.upload_id desc offset 0) e
      where (:isEndedByDate or not exists (
          select from uploads.skip_index_blocks where bucket_id = :bucketId and block = 0) or ((
            select count(*) from uploads.skip_index_bitmaps
            where bucket_id = :bucketId and part = 0 and n_gram = any (:nGrams::text[])
          ) = cardinality(:nGrams::text[]))) offset 4080))) then coalesce(
  (select s.uploads from uploads.bucket_sizes s where s.bucket_id = :bucketId), 0)::text end, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
limit :resultRows;

-- index fetch
with folders as materialized (
  select string_agg(uploads.folder_term(:bucketId, f.key), '|')::tsquery as terms
  from unnest(:coveringFolders::text[]) as f (key)),
search as materialized (
  select case when count(*) filter (where (:isWholeBucket or (u.folder_key >= :rangeFrom and u.folder_key < :rangeTo
        and (cardinality(:rangeStarts::text[]) = 1 or u.folder_key <@ (
            select range_agg(uploads.key_range(r.lower, r.upper))
            from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper))))) and (u.filter_text is null or u.filter_text like all (:namePatternTexts::text[])
      and (cardinality(:namePatternTexts::text[]) > 0 or (strpos(u.filter_text, :nameText) > 0
          and (:filterTextPattern::text is null or u.filter_text like :filterTextPattern))))) <= :sampledMax
  then case
  when :hasCharacterTerms
  and count(*) filter (where (strpos(u.filter_text, :nameText) > 0
      and (:filterTextPattern::text is null or u.filter_text like :filterTextPattern))) >= :commonCharacterMin
  then case when :isSelectiveWithoutCharacters
  then coalesce(:termsWithoutCharacters::tsquery && (select f.terms from folders f), :termsWithoutCharacters::tsquery, (select f.terms from folders f)) end
  else coalesce(:terms::tsquery && (select f.terms from folders f), :terms::tsquery, (select f.terms from folders f)) end end as terms
  from ((select * from (
        select u.folder_key, u.filter_text, u.created_at from uploads.uploads u
        where u.bucket_id = :bucketId
        order by u."order" asc, u.upload_id asc limit 2000) u
      limit :sampledRows / 2) union all (select * from (
        select u.folder_key, u.filter_text, u.created_at from uploads.uploads u
        where u.bucket_id = :bucketId
        order by u."order" desc, u.upload_id desc limit 2000) u
      limit :sampledRows / 2)) u),
found as materialized (
  select u.upload_id, u.folder_key, u.filename, u.filename_folded, u.slug,
  u.slug_folded, u.tags, u.created_at, u.updated_at, u.size_bytes, u."order", u.integration_id,
  u.integration_hidden from uploads.uploads u
  where u.bucket_id = :bucketId and uploads.upload_terms(
    u.bucket_id, u.filename, u.filename_folded, u.slug, u.slug_folded, u.tags, u.folder_key)
  @@ (select s.terms from search s)),
fetched as materialized (select * from found limit :fetchedMax::bigint + 1)
select (select coalesce((
      select v.version from uploads.access_versions v where v.bucket_id = :bucketId), 0)::text from uploads.buckets b
  where b.bucket_id = :bucketId and b.organisation_id = :organisationId
  and b.hostname = coalesce(:hostname, b.hostname)
  and b.is_primary = coalesce(:isPrimary, b.is_primary)) as text, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
union all
(select u.folder_key, u.upload_id, u.filename, u.slug, u.size_bytes, u.type, u.tags, u.integration_id, case when u.integration_id is not null then (
    select i.document from uploads.integrations i
    where i.bucket_id = :bucketId and i.integration_id = u.integration_id) end, u.created_at, u.updated_at, u."order", u.integration_hidden, u.source_id is not null, u.external_path, u.intent_metadata, u.details from (
    select u.upload_id from fetched u
    where (:isWholeBucket or (u.folder_key >= :rangeFrom and u.folder_key < :rangeTo
        and (cardinality(:rangeStarts::text[]) = 1 or u.folder_key <@ (
            select range_agg(uploads.key_range(r.lower, r.upper))
            from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper))))) and (coalesce(u.filename_folded, u.filename) like :namePattern
      or coalesce(u.slug_folded, u.slug) like :namePattern) and (u.size_bytes, u.upload_id) <
    (:startKey::bigint, :startUploadId)
    order by u.size_bytes desc, u.upload_id desc limit :pageRows) c cross join lateral (
    select u.* from uploads.uploads u
    where u.bucket_id = :bucketId and u.upload_id = c.upload_id offset 0) u
  where not ((select count(*) from fetched) > :fetchedMax
    or (select s.terms is null from search s))
  order by u.size_bytes desc, u.upload_id desc limit :pageRows)
union all
select case when ((select count(*) from fetched) > :fetchedMax
  or (select s.terms is null from search s)) then coalesce(
  (select s.uploads from uploads.bucket_sizes s where s.bucket_id = :bucketId), 0)::text end, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
limit :resultRows;

-- The uploads of a folder with a tag, by filename.

-- index scan, at most 1020 entries
with scanned as materialized (
  select u.upload_id, u.filename as sort_key, u.folder_key, u.filter_text
  from uploads.uploads u where u.bucket_id = :bucketId and u.folder_key = :folderKey and (u.filename, u.upload_id) >
  (:startKey::text, :startUploadId)
  order by u.filename asc, u.upload_id asc limit 1020)
select (select coalesce((
      select v.version from uploads.access_versions v where v.bucket_id = :bucketId), 0)::text from uploads.buckets b
  where b.bucket_id = :bucketId and b.organisation_id = :organisationId
  and b.hostname = coalesce(:hostname, b.hostname)
  and b.is_primary = coalesce(:isPrimary, b.is_primary)) as text, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
union all
(select u.folder_key, u.upload_id, u.filename, u.slug, u.size_bytes, u.type, u.tags, u.integration_id, case when u.integration_id is not null then (
    select i.document from uploads.integrations i
    where i.bucket_id = :bucketId and i.integration_id = u.integration_id) end, u.created_at, u.updated_at, u."order", u.integration_hidden, u.source_id is not null, u.external_path, u.intent_metadata, u.details from (
    select u.upload_id, u.sort_key from scanned u
    where u.folder_key = :folderKey and (u.filter_text is null or ((strpos(u.filter_text, :nameText) > 0
          and (:filterTextPattern::text is null or u.filter_text like :filterTextPattern))
        and (not :isFiltered or (u.filter_text like all (:tagPatternsAllOf::text[])
            and (cardinality(:tagPatternsAnyOf::text[]) = 0
              or u.filter_text like any (:tagPatternsAnyOf::text[]))
            and not u.filter_text like any (:tagPatternsNoneOf::text[])
            and (:seesSomeHidden or u.filter_text not like '!%')))))
    order by u.sort_key asc, u.upload_id asc) c cross join lateral (
    select u.* from uploads.uploads u
    where u.bucket_id = :bucketId and u.upload_id = c.upload_id offset 0) u
  where u.folder_key = :folderKey and (not :isFiltered or (u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz
      and coalesce(u.tags, '{}') @> :tagsAllOf::text[]
      and (cardinality(:tagsAnyOf::text[]) = 0 or u.tags && :tagsAnyOf::text[])
      and not coalesce(u.tags, '{}') && :tagsNoneOf::text[]
      and (not u.integration_hidden or exists (
          select from uploads.integrations own
          where own.bucket_id = :bucketId and own.integration_id = u.integration_id
          and own.oauth_client_id = :clientId)))) and (:namePattern::text is null or (coalesce(u.filename_folded, u.filename) like :namePattern
      or coalesce(u.slug_folded, u.slug) like :namePattern))
  order by c.sort_key asc, c.upload_id asc limit :pageRows)
union all
select case when (select count(*) from scanned) >= 1020 then coalesce(
  (select s.uploads from uploads.bucket_sizes s where s.bucket_id = :bucketId), 0)::text end, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
limit :resultRows;

-- index fetch
with folders as materialized (
  select string_agg(uploads.folder_term(:bucketId, f.key), '|')::tsquery as terms
  from unnest(:coveringFolders::text[]) as f (key)),
search as materialized (
  select case when count(*) filter (where u.folder_key = :folderKey and (not :isFiltered or (u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz)) and (u.filter_text is null or (u.filter_text like all (:namePatternTexts::text[])
        and (cardinality(:namePatternTexts::text[]) > 0 or (strpos(u.filter_text, :nameText) > 0
            and (:filterTextPattern::text is null or u.filter_text like :filterTextPattern)))
        and (not :isFiltered or (u.filter_text like all (:tagPatternsAllOf::text[])
            and (cardinality(:tagPatternsAnyOf::text[]) = 0
              or u.filter_text like any (:tagPatternsAnyOf::text[]))
            and not u.filter_text like any (:tagPatternsNoneOf::text[])
            and (:seesSomeHidden or u.filter_text not like '!%')))))) <= :sampledMax
  then case
  when :hasCharacterTerms
  and count(*) filter (where (strpos(u.filter_text, :nameText) > 0
      and (:filterTextPattern::text is null or u.filter_text like :filterTextPattern))) >= :commonCharacterMin
  then case when :isSelectiveWithoutCharacters
  then coalesce(:termsWithoutCharacters::tsquery && (select f.terms from folders f), :termsWithoutCharacters::tsquery, (select f.terms from folders f)) end
  else coalesce(:terms::tsquery && (select f.terms from folders f), :terms::tsquery, (select f.terms from folders f)) end end as terms
  from ((select * from (
        select u.folder_key, u.filter_text, u.created_at from uploads.uploads u
        where u.bucket_id = :bucketId
        order by u."order" asc, u.upload_id asc limit 2000) u
      limit :sampledRows / 2) union all (select * from (
        select u.folder_key, u.filter_text, u.created_at from uploads.uploads u
        where u.bucket_id = :bucketId
        order by u."order" desc, u.upload_id desc limit 2000) u
      limit :sampledRows / 2)) u),
found as materialized (
  select u.upload_id, u.folder_key, u.filename, u.filename_folded, u.slug,
  u.slug_folded, u.tags, u.created_at, u.updated_at, u.size_bytes, u."order", u.integration_id,
  u.integration_hidden from uploads.uploads u
  where u.bucket_id = :bucketId and uploads.upload_terms(
    u.bucket_id, u.filename, u.filename_folded, u.slug, u.slug_folded, u.tags, u.folder_key)
  @@ (select s.terms from search s)),
fetched as materialized (select * from found limit :fetchedMax::bigint + 1)
select (select coalesce((
      select v.version from uploads.access_versions v where v.bucket_id = :bucketId), 0)::text from uploads.buckets b
  where b.bucket_id = :bucketId and b.organisation_id = :organisationId
  and b.hostname = coalesce(:hostname, b.hostname)
  and b.is_primary = coalesce(:isPrimary, b.is_primary)) as text, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
union all
(select u.folder_key, u.upload_id, u.filename, u.slug, u.size_bytes, u.type, u.tags, u.integration_id, case when u.integration_id is not null then (
    select i.document from uploads.integrations i
    where i.bucket_id = :bucketId and i.integration_id = u.integration_id) end, u.created_at, u.updated_at, u."order", u.integration_hidden, u.source_id is not null, u.external_path, u.intent_metadata, u.details from (
    select u.upload_id from fetched u
    where u.folder_key = :folderKey and (not :isFiltered or (u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz
        and coalesce(u.tags, '{}') @> :tagsAllOf::text[]
        and (cardinality(:tagsAnyOf::text[]) = 0 or u.tags && :tagsAnyOf::text[])
        and not coalesce(u.tags, '{}') && :tagsNoneOf::text[]
        and (not u.integration_hidden or exists (
            select from uploads.integrations own
            where own.bucket_id = :bucketId and own.integration_id = u.integration_id
            and own.oauth_client_id = :clientId)))) and (:namePattern::text is null or (coalesce(u.filename_folded, u.filename) like :namePattern
        or coalesce(u.slug_folded, u.slug) like :namePattern)) and (u.filename, u.upload_id) >
    (:startKey::text, :startUploadId)
    order by u.filename asc, u.upload_id asc limit :pageRows) c cross join lateral (
    select u.* from uploads.uploads u
    where u.bucket_id = :bucketId and u.upload_id = c.upload_id offset 0) u
  where not ((select count(*) from fetched) > :fetchedMax
    or (select s.terms is null from search s))
  order by u.filename asc, u.upload_id asc limit :pageRows)
union all
select case when ((select count(*) from fetched) > :fetchedMax
  or (select s.terms is null from search s)) then coalesce(
  (select s.uploads from uploads.bucket_sizes s where s.bucket_id = :bucketId), 0)::text end, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
limit :resultRows;

-- folder, at most 16320 entries
with listed as materialized (
  select u.upload_id, u.folder_key, u.filter_text from uploads.uploads u
  where u.bucket_id = :bucketId and u.folder_key = :folderKey
  order by u.filename, u.upload_id limit 16321),
candidates as materialized (
  select u.upload_id from listed u where u.folder_key = :folderKey and (u.filter_text is null or ((strpos(u.filter_text, :nameText) > 0
        and (:filterTextPattern::text is null or u.filter_text like :filterTextPattern))
      and (not :isFiltered or (u.filter_text like all (:tagPatternsAllOf::text[])
          and (cardinality(:tagPatternsAnyOf::text[]) = 0
            or u.filter_text like any (:tagPatternsAnyOf::text[]))
          and not u.filter_text like any (:tagPatternsNoneOf::text[])
          and (:seesSomeHidden or u.filter_text not like '!%')))))
  limit :fetchedMax::bigint + 1)
select (select coalesce((
      select v.version from uploads.access_versions v where v.bucket_id = :bucketId), 0)::text from uploads.buckets b
  where b.bucket_id = :bucketId and b.organisation_id = :organisationId
  and b.hostname = coalesce(:hostname, b.hostname)
  and b.is_primary = coalesce(:isPrimary, b.is_primary)) as text, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
union all
(select u.folder_key, u.upload_id, u.filename, u.slug, u.size_bytes, u.type, u.tags, u.integration_id, case when u.integration_id is not null then (
    select i.document from uploads.integrations i
    where i.bucket_id = :bucketId and i.integration_id = u.integration_id) end, u.created_at, u.updated_at, u."order", u.integration_hidden, u.source_id is not null, u.external_path, u.intent_metadata, u.details from candidates c cross join lateral (
    select u.* from uploads.uploads u
    where u.bucket_id = :bucketId and u.upload_id = c.upload_id offset 0) u
  where not ((select count(*) from listed) > 16320
    or (select count(*) from candidates) > :fetchedMax) and u.folder_key = :folderKey and (not :isFiltered or (u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz
      and coalesce(u.tags, '{}') @> :tagsAllOf::text[]
      and (cardinality(:tagsAnyOf::text[]) = 0 or u.tags && :tagsAnyOf::text[])
      and not coalesce(u.tags, '{}') && :tagsNoneOf::text[]
      and (not u.integration_hidden or exists (
          select from uploads.integrations own
          where own.bucket_id = :bucketId and own.integration_id = u.integration_id
          and own.oauth_client_id = :clientId)))) and (:namePattern::text is null or (coalesce(u.filename_folded, u.filename) like :namePattern
      or coalesce(u.slug_folded, u.slug) like :namePattern)) and (u.filename, u.upload_id) >
  (:startKey::text, :startUploadId)
  order by u.filename asc, u.upload_id asc limit :pageRows)
union all
select case when ((select count(*) from listed) > 16320
  or (select count(*) from candidates) > :fetchedMax) then coalesce(
  (select s.uploads from uploads.bucket_sizes s where s.bucket_id = :bucketId), 0)::text end, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
limit :resultRows;

-- The uploads of a subtree that were created since a date, by the time of their last change.

-- index scan, at most 4080 entries
with scanned as materialized (
  select u.upload_id, u.updated_at as sort_key, u.folder_key, u.filter_text, u.created_at
  from uploads.uploads u where u.bucket_id = :bucketId and (u.updated_at, u.upload_id) <
  (:startKey::timestamptz, :startUploadId)
  order by u.updated_at desc, u.upload_id desc limit 4080)
select (select coalesce((
      select v.version from uploads.access_versions v where v.bucket_id = :bucketId), 0)::text from uploads.buckets b
  where b.bucket_id = :bucketId and b.organisation_id = :organisationId
  and b.hostname = coalesce(:hostname, b.hostname)
  and b.is_primary = coalesce(:isPrimary, b.is_primary)) as text, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
union all
(select u.folder_key, u.upload_id, u.filename, u.slug, u.size_bytes, u.type, u.tags, u.integration_id, case when u.integration_id is not null then (
    select i.document from uploads.integrations i
    where i.bucket_id = :bucketId and i.integration_id = u.integration_id) end, u.created_at, u.updated_at, u."order", u.integration_hidden, u.source_id is not null, u.external_path, u.intent_metadata, u.details from (
    select u.upload_id, u.sort_key from scanned u
    where (:isWholeBucket or (u.folder_key >= :rangeFrom and u.folder_key < :rangeTo
        and (cardinality(:rangeStarts::text[]) = 1 or u.folder_key <@ (
            select range_agg(uploads.key_range(r.lower, r.upper))
            from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper))))) and (not :isFiltered or (u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz)) and (u.filter_text is null or ((strpos(u.filter_text, :nameText) > 0
          and (:filterTextPattern::text is null or u.filter_text like :filterTextPattern))
        and (not :isFiltered or (u.filter_text like all (:tagPatternsAllOf::text[])
            and (cardinality(:tagPatternsAnyOf::text[]) = 0
              or u.filter_text like any (:tagPatternsAnyOf::text[]))
            and not u.filter_text like any (:tagPatternsNoneOf::text[])
            and (:seesSomeHidden or u.filter_text not like '!%')))))
    order by u.sort_key desc, u.upload_id desc) c cross join lateral (
    select u.* from uploads.uploads u
    where u.bucket_id = :bucketId and u.upload_id = c.upload_id offset 0) u
  where (:isWholeBucket or (u.folder_key >= :rangeFrom and u.folder_key < :rangeTo
      and (cardinality(:rangeStarts::text[]) = 1 or u.folder_key <@ (
          select range_agg(uploads.key_range(r.lower, r.upper))
          from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper))))) and (not :isFiltered or (u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz
      and coalesce(u.tags, '{}') @> :tagsAllOf::text[]
      and (cardinality(:tagsAnyOf::text[]) = 0 or u.tags && :tagsAnyOf::text[])
      and not coalesce(u.tags, '{}') && :tagsNoneOf::text[]
      and (not u.integration_hidden or exists (
          select from uploads.integrations own
          where own.bucket_id = :bucketId and own.integration_id = u.integration_id
          and own.oauth_client_id = :clientId)))) and (:namePattern::text is null or (coalesce(u.filename_folded, u.filename) like :namePattern
      or coalesce(u.slug_folded, u.slug) like :namePattern))
  order by c.sort_key desc, c.upload_id desc limit :pageRows)
union all
select case when (select count(*) from scanned) >= 4080 then coalesce(
  (select s.uploads from uploads.bucket_sizes s where s.bucket_id = :bucketId), 0)::text end, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
limit :resultRows;

-- date range, at most 4080 entries
with listed as materialized (
  select u.upload_id, u.folder_key, u.filter_text, u.created_at from uploads.uploads u
  where u.bucket_id = :bucketId and u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz
  order by u.created_at, u.upload_id limit 4081),
candidates as materialized (
  select u.upload_id from listed u where (:isWholeBucket or (u.folder_key >= :rangeFrom and u.folder_key < :rangeTo
      and (cardinality(:rangeStarts::text[]) = 1 or u.folder_key <@ (
          select range_agg(uploads.key_range(r.lower, r.upper))
          from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper))))) and (not :isFiltered or (u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz)) and (u.filter_text is null or ((strpos(u.filter_text, :nameText) > 0
        and (:filterTextPattern::text is null or u.filter_text like :filterTextPattern))
      and (not :isFiltered or (u.filter_text like all (:tagPatternsAllOf::text[])
          and (cardinality(:tagPatternsAnyOf::text[]) = 0
            or u.filter_text like any (:tagPatternsAnyOf::text[]))
          and not u.filter_text like any (:tagPatternsNoneOf::text[])
          and (:seesSomeHidden or u.filter_text not like '!%')))))
  limit :fetchedMax::bigint + 1)
select (select coalesce((
      select v.version from uploads.access_versions v where v.bucket_id = :bucketId), 0)::text from uploads.buckets b
  where b.bucket_id = :bucketId and b.organisation_id = :organisationId
  and b.hostname = coalesce(:hostname, b.hostname)
  and b.is_primary = coalesce(:isPrimary, b.is_primary)) as text, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
union all
(select u.folder_key, u.upload_id, u.filename, u.slug, u.size_bytes, u.type, u.tags, u.integration_id, case when u.integration_id is not null then (
    select i.document from uploads.integrations i
    where i.bucket_id = :bucketId and i.integration_id = u.integration_id) end, u.created_at, u.updated_at, u."order", u.integration_hidden, u.source_id is not null, u.external_path, u.intent_metadata, u.details from candidates c cross join lateral (
    select u.* from uploads.uploads u
    where u.bucket_id = :bucketId and u.upload_id = c.upload_id offset 0) u
  where not ((select count(*) from listed) > 4080
    or (select count(*) from candidates) > :fetchedMax) and (:isWholeBucket or (u.folder_key >= :rangeFrom and u.folder_key < :rangeTo
      and (cardinality(:rangeStarts::text[]) = 1 or u.folder_key <@ (
          select range_agg(uploads.key_range(r.lower, r.upper))
          from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper))))) and (not :isFiltered or (u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz
      and coalesce(u.tags, '{}') @> :tagsAllOf::text[]
      and (cardinality(:tagsAnyOf::text[]) = 0 or u.tags && :tagsAnyOf::text[])
      and not coalesce(u.tags, '{}') && :tagsNoneOf::text[]
      and (not u.integration_hidden or exists (
          select from uploads.integrations own
          where own.bucket_id = :bucketId and own.integration_id = u.integration_id
          and own.oauth_client_id = :clientId)))) and (:namePattern::text is null or (coalesce(u.filename_folded, u.filename) like :namePattern
      or coalesce(u.slug_folded, u.slug) like :namePattern)) and (u.updated_at, u.upload_id) <
  (:startKey::timestamptz, :startUploadId)
  order by u.updated_at desc, u.upload_id desc limit :pageRows)
union all
select case when ((select count(*) from listed) > 4080
  or (select count(*) from candidates) > :fetchedMax) then coalesce(
  (select s.uploads from uploads.bucket_sizes s where s.bucket_id = :bucketId), 0)::text end, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
limit :resultRows;

-- index fetch
with folders as materialized (
  select string_agg(uploads.folder_term(:bucketId, f.key), '|')::tsquery as terms
  from unnest(:coveringFolders::text[]) as f (key)),
search as materialized (
  select case when count(*) filter (where (:isWholeBucket or (u.folder_key >= :rangeFrom and u.folder_key < :rangeTo
        and (cardinality(:rangeStarts::text[]) = 1 or u.folder_key <@ (
            select range_agg(uploads.key_range(r.lower, r.upper))
            from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper))))) and (not :isFiltered or (u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz)) and (u.filter_text is null or (u.filter_text like all (:namePatternTexts::text[])
        and (cardinality(:namePatternTexts::text[]) > 0 or (strpos(u.filter_text, :nameText) > 0
            and (:filterTextPattern::text is null or u.filter_text like :filterTextPattern)))
        and (not :isFiltered or (u.filter_text like all (:tagPatternsAllOf::text[])
            and (cardinality(:tagPatternsAnyOf::text[]) = 0
              or u.filter_text like any (:tagPatternsAnyOf::text[]))
            and not u.filter_text like any (:tagPatternsNoneOf::text[])
            and (:seesSomeHidden or u.filter_text not like '!%')))))) <= :sampledMax
  then case
  when :hasCharacterTerms
  and count(*) filter (where (strpos(u.filter_text, :nameText) > 0
      and (:filterTextPattern::text is null or u.filter_text like :filterTextPattern))) >= :commonCharacterMin
  then case when :isSelectiveWithoutCharacters
  then coalesce(:termsWithoutCharacters::tsquery && (select f.terms from folders f), :termsWithoutCharacters::tsquery, (select f.terms from folders f)) end
  else coalesce(:terms::tsquery && (select f.terms from folders f), :terms::tsquery, (select f.terms from folders f)) end end as terms
  from ((select * from (
        select u.folder_key, u.filter_text, u.created_at from uploads.uploads u
        where u.bucket_id = :bucketId
        order by u."order" asc, u.upload_id asc limit 2000) u
      limit :sampledRows / 2) union all (select * from (
        select u.folder_key, u.filter_text, u.created_at from uploads.uploads u
        where u.bucket_id = :bucketId
        order by u."order" desc, u.upload_id desc limit 2000) u
      limit :sampledRows / 2)) u),
found as materialized (
  select u.upload_id, u.folder_key, u.filename, u.filename_folded, u.slug,
  u.slug_folded, u.tags, u.created_at, u.updated_at, u.size_bytes, u."order", u.integration_id,
  u.integration_hidden from uploads.uploads u
  where u.bucket_id = :bucketId and uploads.upload_terms(
    u.bucket_id, u.filename, u.filename_folded, u.slug, u.slug_folded, u.tags, u.folder_key)
  @@ (select s.terms from search s)),
fetched as materialized (select * from found limit :fetchedMax::bigint + 1)
select (select coalesce((
      select v.version from uploads.access_versions v where v.bucket_id = :bucketId), 0)::text from uploads.buckets b
  where b.bucket_id = :bucketId and b.organisation_id = :organisationId
  and b.hostname = coalesce(:hostname, b.hostname)
  and b.is_primary = coalesce(:isPrimary, b.is_primary)) as text, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
union all
(select u.folder_key, u.upload_id, u.filename, u.slug, u.size_bytes, u.type, u.tags, u.integration_id, case when u.integration_id is not null then (
    select i.document from uploads.integrations i
    where i.bucket_id = :bucketId and i.integration_id = u.integration_id) end, u.created_at, u.updated_at, u."order", u.integration_hidden, u.source_id is not null, u.external_path, u.intent_metadata, u.details from (
    select u.upload_id from fetched u
    where (:isWholeBucket or (u.folder_key >= :rangeFrom and u.folder_key < :rangeTo
        and (cardinality(:rangeStarts::text[]) = 1 or u.folder_key <@ (
            select range_agg(uploads.key_range(r.lower, r.upper))
            from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper))))) and (not :isFiltered or (u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz
        and coalesce(u.tags, '{}') @> :tagsAllOf::text[]
        and (cardinality(:tagsAnyOf::text[]) = 0 or u.tags && :tagsAnyOf::text[])
        and not coalesce(u.tags, '{}') && :tagsNoneOf::text[]
        and (not u.integration_hidden or exists (
            select from uploads.integrations own
            where own.bucket_id = :bucketId and own.integration_id = u.integration_id
            and own.oauth_client_id = :clientId)))) and (:namePattern::text is null or (coalesce(u.filename_folded, u.filename) like :namePattern
        or coalesce(u.slug_folded, u.slug) like :namePattern)) and (u.updated_at, u.upload_id) <
    (:startKey::timestamptz, :startUploadId)
    order by u.updated_at desc, u.upload_id desc limit :pageRows) c cross join lateral (
    select u.* from uploads.uploads u
    where u.bucket_id = :bucketId and u.upload_id = c.upload_id offset 0) u
  where not ((select count(*) from fetched) > :fetchedMax
    or (select s.terms is null from search s))
  order by u.updated_at desc, u.upload_id desc limit :pageRows)
union all
select case when ((select count(*) from fetched) > :fetchedMax
  or (select s.terms is null from search s)) then coalesce(
  (select s.uploads from uploads.bucket_sizes s where s.bucket_id = :bucketId), 0)::text end, null::text, null::text, null::text, null::bigint, null::smallint, null::text[], null::uuid, null::text, null::timestamptz, null::timestamptz, null::integer, null::boolean, null::boolean, null::text, null::jsonb, null::text
limit :resultRows;
