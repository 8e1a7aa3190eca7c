-- The index of names: types, the trigrams of folded filenames, and those of the words that the
-- service adds where trigrams of a name are not enough (search/search-words.ts). It finds uploads
-- by any text of three letters or digits, and by more than that.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- What the index contains of an upload. A space separates the filename from the words.
create or replace function uploads.searched_text(
  filename text, filename_folded text, search_words text
) returns text
  language sql immutable parallel safe
  return case when search_words is null then coalesce(filename_folded, filename)
    else coalesce(filename_folded, filename) || ' ' || search_words end;

create index if not exists uploads_by_name on uploads.uploads using gin (
  bucket_number,
  uploads.searched_text(filename, filename_folded, search_words) gin_trgm_ops,
  type);

-- The last segment of a folder's path, folded, as the index of folders has it: what is not ASCII is
-- spelt in digits, since trigrams in the locale C are of ASCII only.
create or replace function uploads.folder_name(tree_key text, path text, path_folded text)
  returns text
  language sql immutable parallel safe
  return encode(convert_to(
    split_part(coalesce(path_folded, uploads.path_of(tree_key, path)), '/', -1), 'UTF8'), 'escape');

create index if not exists folders_by_name on uploads.folders using gin (
  bucket_number, uploads.folder_name(tree_key, path, path_folded) gin_trgm_ops);
alter index uploads.folders_by_name alter column 2 set statistics 0;

-- Texts are only compared with parameters, so no plan needs their statistics, which ANALYZE would
-- spend most of its time on.
alter index uploads.uploads_by_name alter column 2 set statistics 0;
