-- How many levels below the root a folder is: the separators of its key (step 0001) that are not in
-- a name.
create or replace function uploads.tree_depth(tree_key text) returns integer
  language sql immutable strict parallel safe
  return octet_length(replace(replace(tree_key, chr(2) || chr(2), ''), chr(2) || chr(1), ''))
    - octet_length(replace(replace(replace(
        tree_key, chr(2) || chr(2), ''), chr(2) || chr(1), ''), chr(1), ''));

-- A tree of few levels reads those; without this it reads all that is under them.
create index if not exists folders_by_level
  on uploads.folders (bucket_id, uploads.tree_depth(tree_key), tree_key);
