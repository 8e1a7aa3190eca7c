-- Every folder of a bucket, the root included: the folder of every upload and the parent of every
-- folder is here. Integrations are named without a foreign key: one may be known later, or never.
create table if not exists uploads.folders (
  bucket_id uuid not null references uploads.buckets,
  folder_id uuid not null,
  path text collate "C" not null,
  tree_key text collate "C" not null generated always as (uploads.tree_key(path)) stored,
  -- The path in Unicode form C where it differs, and in lower case: what filters compare.
  path_nfc text collate "C",
  path_folded text collate "C" not null,
  colour text not null,
  has_public_directory_listing boolean not null,
  inherited_has_directory_listing boolean not null,
  private_access boolean not null,
  inherited_private_access boolean not null,
  is_share_root boolean not null,
  scoping_integration_id uuid,
  virtual_file_enabled boolean not null,
  virtual_file_name text not null,
  virtual_file_integration_id uuid,
  virtual_file_root_upload_id uuid,
  external_path text not null,
  external_parent_path text not null,
  "order" integer not null,
  integration_hidden boolean not null,
  primary key (bucket_id, folder_id),
  unique (bucket_id, tree_key)
);

-- Every request asks which folders of the bucket are hidden; almost none are.
create index if not exists folders_hidden
  on uploads.folders (bucket_id, tree_key) where integration_hidden;
