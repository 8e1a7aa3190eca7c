-- A folder as answers have it, but without its integrations, which change by themselves.
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

alter table uploads.folders add column if not exists document text not null
  generated always as (uploads.folder_document(
    folder_id, path, colour, has_public_directory_listing, inherited_has_directory_listing,
    private_access, inherited_private_access, is_share_root, scoping_integration_id,
    virtual_file_enabled, virtual_file_name, virtual_file_integration_id,
    virtual_file_root_upload_id, external_path, external_parent_path, "order",
    integration_hidden)) stored;
