import { create } from "@bufbuild/protobuf";
import { type Folder, FolderSchema } from "@stowage/api/svc/api/v1/folder_pb";
import sql from "sql-template-tag";
import { parentPath } from "../model/path.ts";
import {
  type IntegrationColumns,
  integrationColumns,
  integrationOf,
} from "./integration-columns.ts";

/** What is read of a folder `f`, its scoping integration `s` and virtual file integration `v`. */
export const folderColumns = sql`
  f.folder_id, f.path, f.tree_key, f.colour, f.has_public_directory_listing,
  f.inherited_has_directory_listing, f.private_access, f.inherited_private_access,
  f.is_share_root, f.scoping_integration_id, ${integrationColumns("s")} as scoping_integration,
  f.virtual_file_enabled, f.virtual_file_name, f.virtual_file_integration_id,
  ${integrationColumns("v")} as virtual_file_integration, f.virtual_file_root_upload_id,
  f.external_path, f.external_parent_path, f."order", f.integration_hidden`;

/** Where `folderColumns` come from. */
export const folderTables = sql`uploads.folders f
  left join uploads.integrations s
    on s.bucket_id = f.bucket_id and s.integration_id = f.scoping_integration_id
  left join uploads.integrations v
    on v.bucket_id = f.bucket_id and v.integration_id = f.virtual_file_integration_id`;

/** A row of `folderColumns`, as the driver gives it. */
export interface FolderRow {
  folder_id: string;
  path: string;
  tree_key: string;
  colour: string;
  has_public_directory_listing: boolean;
  inherited_has_directory_listing: boolean;
  private_access: boolean;
  inherited_private_access: boolean;
  is_share_root: boolean;
  scoping_integration_id: string | null;
  scoping_integration: IntegrationColumns;
  virtual_file_enabled: boolean;
  virtual_file_name: string;
  virtual_file_integration_id: string | null;
  virtual_file_integration: IntegrationColumns;
  virtual_file_root_upload_id: string | null;
  external_path: string;
  external_parent_path: string;
  order: number;
  integration_hidden: boolean;
}

/** The message of a row. */
export function folderOf(row: FolderRow): Folder {
  const scopingIntegration = integrationOf(row.scoping_integration);
  const virtualFileIntegration = integrationOf(row.virtual_file_integration);
  return create(FolderSchema, {
    folderId: row.folder_id,
    path: row.path,
    parentPath: parentPath(row.path) ?? "",
    colour: row.colour,
    hasPublicDirectoryListing: row.has_public_directory_listing,
    inheritedHasDirectoryListing: row.inherited_has_directory_listing,
    privateAccess: row.private_access,
    inheritedPrivateAccess: row.inherited_private_access,
    isShareRoot: row.is_share_root,
    scopingIntegrationId: row.scoping_integration_id ?? "",
    ...(scopingIntegration && { scopingIntegration }),
    virtualFileEnabled: row.virtual_file_enabled,
    virtualFileName: row.virtual_file_name,
    virtualFileIntegrationId: row.virtual_file_integration_id ?? "",
    ...(virtualFileIntegration && { virtualFileIntegration }),
    virtualFileRootUploadId: row.virtual_file_root_upload_id ?? "",
    externalPath: row.external_path,
    externalParentPath: row.external_parent_path,
    order: row.order,
    integrationHidden: row.integration_hidden,
  });
}
