-- Whatever an upload can be found by, as terms of an inverted index. The first letter tells the
-- kind, four characters of its ID the bucket, so that buckets do not share terms:
--   n  three characters from every place of `/name/`, folded: shorter ones are beginnings of these
--   l  how many characters a name has
--   t  a tag
--   f  each folder that it is in or under, as a hash; none for the root, which holds everything
-- Terms find too much rather than too little: whoever uses them looks at the rows themselves.

create or replace function uploads.folder_term(bucket_id uuid, folder_key text) returns text
  language sql immutable parallel safe
  return 'f' || right(bucket_id::text, 4) || to_hex(hashtextextended(folder_key, 0));

create or replace function uploads.upload_terms(
  bucket_id uuid, filename_folded text, slug_folded text, tags text[], folder_key text
) returns tsvector
  language plpgsql immutable parallel safe as $$
declare
  bucket text := right(bucket_id::text, 4);
  terms text[];
  name text;
  tag text;
  folder text := '';
  segment text;
begin
  foreach name in array array[filename_folded, nullif(slug_folded, filename_folded)] loop
    continue when name is null;
    terms := terms || ('l' || bucket || length(name));
    name := '/' || name || '/';
    for place in 1 .. length(name) - 1 loop
      terms := terms || ('n' || bucket || substr(name, place, 3));
    end loop;
  end loop;
  foreach tag in array tags loop
    terms := terms || ('t' || bucket || left(tag, 64));
  end loop;
  foreach segment in array string_to_array(substr(folder_key, 2), chr(1)) loop
    folder := folder || chr(1) || segment;
    terms := terms || ('f' || bucket || to_hex(hashtextextended(folder, 0)));
  end loop;
  return array_to_tsvector(terms);
end $$;

create index if not exists uploads_by_term on uploads.uploads
  using gin (uploads.upload_terms(bucket_id, filename_folded, slug_folded, tags, folder_key));
