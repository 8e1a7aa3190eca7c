-- A tree key is a folder's path in a form whose byte order is the order of the tree: a folder, then
-- everything below it, then its next sibling. Plain paths do not have this order: '/a b' is between
-- '/a' and '/a/b'. In a key, the separator is the smallest byte, 1. A byte 1 or 2 in a name becomes
-- 2 1 or 2 2. The root has the empty key. The subtree of k is all keys from k up to k || chr(2).
create or replace function uploads.tree_key(path text) returns text
  language sql immutable parallel safe
  return case when path = '/' then '' else
    replace(replace(replace(path, chr(2), chr(2) || chr(2)), chr(1), chr(2) || chr(1)), '/', chr(1))
  end;

-- The path of a key. Folders store it only if it has a byte 1 or 2.
create or replace function uploads.path_of(tree_key text, path text) returns text
  language sql immutable parallel safe
  return coalesce(path, case when tree_key = '' then '/' else replace(tree_key, chr(1), '/') end);

-- How many levels below the root a folder is: the number of separators in its key, without the
-- bytes 1 that belong to names.
create or replace function uploads.tree_depth(tree_key text) returns integer
  language sql immutable parallel safe
  return octet_length(replace(replace(tree_key, chr(2) || chr(2), ''), chr(2) || chr(1), ''))
    - octet_length(replace(replace(replace(
        tree_key, chr(2) || chr(2), ''), chr(2) || chr(1), ''), chr(1), ''));

-- What a caller may see of a bucket is a set of ranges of tree keys.
do $$
begin
  if to_regtype('uploads.key_range') is null then
    create type uploads.key_range as range (subtype = text, collation = "C");
  end if;
end
$$;
