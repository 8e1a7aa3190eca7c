-- A folder's path in a form whose byte order is the order of the tree: a folder, then all that lies
-- under it, then its next sibling. In plain paths '/a b' would sort between '/a' and '/a/b'. So the
-- separator becomes the smallest byte, 1, and a 1 or 2 in a name is written 2 1 or 2 2. The root is
-- the empty key. A folder and all under it are the keys from k up to, not including, k || chr(2).
create or replace function uploads.tree_key(path text) returns text
  language sql immutable strict parallel safe
  return case when path = '/' then '' else
    replace(replace(replace(path, chr(2), chr(2) || chr(2)), chr(1), chr(2) || chr(1)), '/', chr(1))
  end;
