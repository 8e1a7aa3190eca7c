-- Integrations and folders, each with its document: the JSON of the row as answers have it. The
-- database generates documents when a row is written. So reading an answer formats nothing, and a
-- document cannot differ from its columns.

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
  bucket_id uuid not null references uploads.buckets,
  integration_id uuid not null,
  name text not null,
  oauth_client_id text collate "C" not null,
  folder_behavior smallint not null,
  folder_link_url text not null,
  document text not null generated always as (uploads.integration_document(
    integration_id, name, oauth_client_id, folder_behavior, folder_link_url)) stored,
  primary key (bucket_id, integration_id)
);

-- Without the integrations of the folder, which change independently. A read adds their documents.
create or replace function uploads.folder_document(
  folder_id uuid, path text, colour text, has_public_directory_listing boolean,
  inherited_has_directory_listing boolean, private_access boolean,
  inherited_private_access boolean, is_share_root boolean, scoping_integration_id uuid,
  virtual_file_enabled boolean, virtual_file_name text, virtual_file_integration_id uuid,
  virtual_file_root_upload_id uuid, external_path text, external_parent_path text,
  "order" integer, integration_hidden boolean
) returns text
  language plpgsql immutable parallel safe as $$
begin
  return '{"folderId":"' || folder_id
    || '","path":' || to_json(path)
    || ',"parentPath":' || to_json(case when path = '/' then '' else
      coalesce(nullif(left(path, -strpos(reverse(path), '/')), ''), '/') end)
    || ',"colour":' || to_json(colour)
    || ',"hasPublicDirectoryListing":' || has_public_directory_listing
    || ',"inheritedHasDirectoryListing":' || inherited_has_directory_listing
    || ',"privateAccess":' || private_access
    || ',"inheritedPrivateAccess":' || inherited_private_access
    || ',"isShareRoot":' || is_share_root
    || ',"scopingIntegrationId":"' || coalesce(scoping_integration_id::text, '')
    || '","virtualFileEnabled":' || virtual_file_enabled
    || ',"virtualFileName":' || to_json(virtual_file_name)
    || ',"virtualFileIntegrationId":"' || coalesce(virtual_file_integration_id::text, '')
    || '","virtualFileRootUploadId":"' || coalesce(virtual_file_root_upload_id::text, '')
    || '","externalPath":' || to_json(external_path)
    || ',"externalParentPath":' || to_json(external_parent_path)
    || ',"order":' || "order"
    || ',"integrationHidden":' || integration_hidden || '}';
end $$;

-- Every folder of a bucket, also the root: the folder of every upload and the parent of every
-- folder have a row. Integrations are named without a foreign key, since one may be imported later,
-- or never.
create table if not exists uploads.folders (
  bucket_id uuid not null references uploads.buckets,
  folder_id uuid not null,
  path text collate "C" not null,
  tree_key text collate "C" not null generated always as (uploads.tree_key(path)) stored,
  -- Filters compare these: the path in Unicode form C, where it differs, and the folded path.
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
  -- The source that the row came from. Only rows of a source can be gone from it.
  source_id uuid,
  document text not null generated always as (uploads.folder_document(
    folder_id, path, colour, has_public_directory_listing, inherited_has_directory_listing,
    private_access, inherited_private_access, is_share_root, scoping_integration_id,
    virtual_file_enabled, virtual_file_name, virtual_file_integration_id,
    virtual_file_root_upload_id, external_path, external_parent_path, "order",
    integration_hidden)) stored,
  primary key (bucket_id, folder_id),
  unique (bucket_id, tree_key)
);

-- Every request asks which folders of the bucket are hidden. Very few are.
create index if not exists folders_hidden
  on uploads.folders (bucket_id, tree_key) where integration_hidden;

-- A tree with few levels reads only the folders of these levels, not everything below them.
create index if not exists folders_by_level
  on uploads.folders (bucket_id, uploads.tree_depth(tree_key), tree_key);
