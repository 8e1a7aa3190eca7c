-- Integrations and folders.

-- The JSON of an integration as answers have it. A bucket has few integrations, which are read with
-- every folder and upload that names one: the database makes their documents when they are written.
create or replace function uploads.integration_document(
  integration_id uuid, name text, oauth_client_id text, folder_behavior smallint,
  folder_link_url text
) returns text
  language sql immutable parallel safe
  return '{"integrationId":"' || integration_id
    || '","name":' || to_json(name)
    || ',"oauthClientId":' || to_json(oauth_client_id)
    || ',"folderBehavior":"' || (array[
      'INTEGRATION_FOLDER_BEHAVIOR_UNSPECIFIED',
      'INTEGRATION_FOLDER_BEHAVIOR_OPEN_IN_FOLDER',
      'INTEGRATION_FOLDER_BEHAVIOR_OPEN_LINK'])[folder_behavior + 1]
    || '","folderLinkUrl":' || to_json(folder_link_url) || '}';

create table if not exists uploads.integrations (
  bucket_number integer not null references uploads.buckets (bucket_number),
  integration_id uuid not null,
  name text not null,
  oauth_client_id text collate "C" not null,
  folder_behavior smallint not null,
  folder_link_url text not null,
  document text not null generated always as (uploads.integration_document(
    integration_id, name, oauth_client_id, folder_behavior, folder_link_url)) stored,
  primary key (bucket_number, integration_id)
);

-- Every folder of a bucket, also the root: the folder of every upload and the parent of every
-- folder have a row. Integrations are named without a foreign key, since one may be imported later,
-- or never. Neither folders nor uploads have foreign keys: checking them takes a tenth of the time
-- of an import, and only imports write these tables.
create table if not exists uploads.folders (
  -- Its place in the order of the tree (0001-tree-keys.sql): the order of the positions is that of
  -- the keys. So everything under a folder is a range of numbers, and uploads need no path in their
  -- indexes. There are gaps for new folders; where one is full, the folders around it get new
  -- positions.
  tree_position bigint not null,
  -- The number and bytes of the uploads in the folder, and in its subtree. So the cost of totals
  -- depends on the folders in an answer, not on the uploads below them.
  uploads bigint not null default 0,
  size_bytes bigint not null default 0,
  subtree_uploads bigint not null default 0,
  subtree_size_bytes bigint not null default 0,
  bucket_number integer not null,
  integration_hidden boolean not null,
  folder_id uuid not null,
  tree_key text collate "C" not null,
  -- Null: uploads.path_of derives it from the key.
  path text collate "C",
  -- Filters compare these: the path in Unicode form C, and folded. Null if that changes nothing.
  path_nfc text collate "C",
  path_folded text collate "C",
  scoping_integration_id uuid,
  virtual_file_integration_id uuid,
  -- The members that few folders have (answers/members.ts), as answers have them
  -- (answers/rare-members.ts).
  settings text,
  -- The source that the row came from. Only rows of a source can be gone from it.
  source_id uuid,
  primary key (bucket_number, folder_id),
  unique (bucket_number, tree_key),
  -- Deferrable: positions change all at once.
  constraint folders_position unique (bucket_number, tree_position) deferrable
);

-- Every request asks which folders of the bucket are hidden. Very few are.
create index if not exists folders_hidden
  on uploads.folders (bucket_number, tree_key) where integration_hidden;

-- A tree with few levels reads only the folders of these levels, not everything below them.
create index if not exists folders_by_level
  on uploads.folders (bucket_number, uploads.tree_depth(tree_key), tree_position)
  include (tree_key);
