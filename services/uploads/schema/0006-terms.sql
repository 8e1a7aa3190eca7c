-- The inverted index: everything that an upload can be found by, as terms of a GIN index. A term
-- begins with a letter for its kind and the last four characters of the bucket's ID, so that
-- buckets share few terms:
--   n  the three characters from each position of `/name/`, folded, fewer at its end; a search text
--      of one or two characters is a prefix of these terms
--   l  the length of a name
--   t  a tag, at most 64 characters of it
--   f  each folder that the upload is in or below, as a hash, since paths are long; not the root,
--      which contains everything
-- Terms may find too much, never too little. Who uses them checks the rows.

create or replace function uploads.folder_term(bucket_id uuid, folder_key text) returns text
  language sql immutable parallel safe
  return 'f' || right(bucket_id::text, 4) || to_hex(hashtextextended(folder_key, 0));

create or replace function uploads.upload_terms(
  bucket_id uuid, filename text, filename_folded text, slug text, slug_folded text, tags text[],
  folder_key text
) returns tsvector
  language plpgsql immutable parallel safe as $$
declare
  bucket text := right(bucket_id::text, 4);
  folded text := coalesce(filename_folded, filename);
  terms text[];
  name text;
  tag text;
  folder text := '';
  segment text;
begin
  foreach name in array array[folded, nullif(coalesce(slug_folded, slug, folded), folded)] loop
    continue when name is null;
    terms := terms || ('l' || bucket || length(name));
    name := '/' || name || '/';
    for place in 1 .. length(name) - 1 loop
      terms := terms || ('n' || bucket || substr(name, place, 3));
    end loop;
  end loop;
  foreach tag in array coalesce(tags, '{}') loop
    terms := terms || ('t' || bucket || left(tag, 64));
  end loop;
  foreach segment in array string_to_array(substr(folder_key, 2), chr(1)) loop
    folder := folder || chr(1) || segment;
    terms := terms || ('f' || bucket || to_hex(hashtextextended(folder, 0)));
  end loop;
  return array_to_tsvector(terms);
end $$;

create index if not exists uploads_by_term on uploads.uploads
  using gin (uploads.upload_terms(
    bucket_id, filename, filename_folded, slug, slug_folded, tags, folder_key));

-- Terms are only compared with parameters, so no plan needs their statistics, which ANALYZE would
-- spend most of its time on.
alter index uploads.uploads_by_term alter column 1 set statistics 0;
