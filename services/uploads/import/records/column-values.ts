/** The columns of each table that an import writes, and the value of a record in each. */
import { create } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { writeJson } from "@stowage/api/json/write-json";
import { foldName, normaliseName } from "@stowage/api/names/fold-name";
import { AliasSchema, MetaUploadSchema, UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import { isoOfMicros } from "../../model/microseconds.ts";
import { isoAtOrBefore } from "../../model/timestamps.ts";
import type { CopyValue } from "../../postgres/copy-in.ts";
import type {
  BucketRecord,
  FolderRecord,
  IntegrationRecord,
  ObjectFields,
  UploadRecord,
} from "./record.ts";

type Values<Item> = Readonly<Record<string, (item: Item) => CopyValue>>;

export const bucketValues = {
  bucket_id: (record) => record.bucketId,
  hostname: (record) => record.hostname,
  organisation_id: (record) => record.organisationId,
  is_primary: ({ isPrimary }) => (typeof isPrimary === "boolean" ? isPrimary : null),
  is_first: ({ isPrimary }) => isPrimary === "if none",
} satisfies Values<BucketRecord>;

export const integrationValues = {
  bucket_id: (record) => record.bucketId,
  integration_id: ({ integration }) => integration.integrationId,
  name: ({ integration }) => integration.name,
  oauth_client_id: ({ integration }) => integration.oauthClientId,
  folder_behavior: ({ integration }) => integration.folderBehavior,
  folder_link_url: ({ integration }) => integration.folderLinkUrl,
} satisfies Values<IntegrationRecord>;

export const folderValues = {
  bucket_id: (record) => record.bucketId,
  folder_id: ({ folder }) => folder.folderId,
  path: ({ folder }) => folder.path,
  path_nfc: ({ folder }) => nfcWhereDifferent(folder.path),
  path_folded: ({ folder }) => foldName(folder.path),
  colour: ({ folder }) => folder.colour,
  has_public_directory_listing: ({ folder }) => folder.hasPublicDirectoryListing,
  inherited_has_directory_listing: ({ folder }) => folder.inheritedHasDirectoryListing,
  private_access: ({ folder }) => folder.privateAccess,
  inherited_private_access: ({ folder }) => folder.inheritedPrivateAccess,
  is_share_root: ({ folder }) => folder.isShareRoot,
  scoping_integration_id: ({ folder }) => folder.scopingIntegrationId || null,
  virtual_file_enabled: ({ folder }) => folder.virtualFileEnabled,
  virtual_file_name: ({ folder }) => folder.virtualFileName,
  virtual_file_integration_id: ({ folder }) => folder.virtualFileIntegrationId || null,
  virtual_file_root_upload_id: ({ folder }) => folder.virtualFileRootUploadId || null,
  external_path: ({ folder }) => folder.externalPath,
  external_parent_path: ({ folder }) => folder.externalParentPath,
  order: ({ folder }) => folder.order,
  integration_hidden: ({ folder }) => folder.integrationHidden,
} satisfies Values<FolderRecord>;

type FolderSetting = Exclude<
  keyof typeof folderValues,
  "bucket_id" | "folder_id" | "path" | "path_nfc" | "path_folded"
>;

/** The settings of a folder that an import makes for what is in it, in SQL. */
export const noFolderSettings = {
  colour: "''",
  has_public_directory_listing: "false",
  inherited_has_directory_listing: "false",
  private_access: "false",
  inherited_private_access: "false",
  is_share_root: "false",
  scoping_integration_id: "null::uuid",
  virtual_file_enabled: "false",
  virtual_file_name: "''",
  virtual_file_integration_id: "null::uuid",
  virtual_file_root_upload_id: "null::uuid",
  external_path: "''",
  external_parent_path: "''",
  order: "0",
  integration_hidden: "false",
} satisfies Record<FolderSetting, string>;

/** A path at which a folder must exist, with the values of a folder that the import makes there. */
interface PathItem {
  readonly bucketId: string;
  readonly path: string;
  readonly folderId: string;
  /** The folder must exist even if it is empty. */
  readonly isListed: boolean;
}

export const pathValues = {
  bucket_id: (item) => item.bucketId,
  folder_id: (item) => item.folderId,
  path: (item) => item.path,
  path_nfc: (item) => nfcWhereDifferent(item.path),
  path_folded: (item) => foldName(item.path),
  is_listed: (item) => item.isListed,
} satisfies Values<PathItem>;

export const uploadValues = {
  bucket_id: (record) => record.bucketId,
  upload_id: ({ upload }) => upload.uploadId,
  filename: ({ upload }) => upload.filename,
  path: ({ upload }) => upload.path,
  slug: ({ upload }) => upload.slug,
  filename_nfc: ({ upload }) => nfcWhereDifferent(upload.filename),
  filename_folded: ({ upload }) => foldName(upload.filename),
  slug_nfc: ({ upload }) => nfcWhereDifferent(upload.slug),
  slug_folded: ({ upload }) => foldName(upload.slug),
  url: ({ upload }) => upload.url,
  content_url: ({ upload }) => upload.contentUrl,
  size_bytes: ({ upload }) => upload.sizeBytes,
  type: ({ upload }) => upload.type,
  tags: ({ upload }) => upload.tags,
  integration_id: ({ upload }) => upload.integrationId || null,
  allow_any_extension: ({ upload }) => upload.allowAnyExtension,
  default_slug_extension: ({ upload }) => upload.defaultSlugExtension,
  generated_description: ({ upload }) => upload.generatedDescription,
  meta_uploads: ({ upload }) =>
    JSON.stringify(upload.metaUploads.map((file) => writeJson(MetaUploadSchema, file))),
  private: ({ upload }) => upload.private,
  aliases: ({ upload }) =>
    JSON.stringify(upload.aliases.map((alias) => writeJson(AliasSchema, alias))),
  created_at: ({ upload }) => timeText(upload.createdAt),
  updated_at: ({ upload }) => timeText(upload.updatedAt),
  author_user_id: ({ upload }) => upload.author?.userId ?? null,
  author_username: ({ upload }) => upload.author?.username ?? null,
  last_modified_by_user_id: ({ upload }) => upload.lastModifiedBy?.userId ?? null,
  last_modified_by_username: ({ upload }) => upload.lastModifiedBy?.username ?? null,
  thumbnail_generation_version: ({ upload }) => upload.thumbnailGenerationVersion,
  ai_description_generation_version: ({ upload }) => upload.aiDescriptionGenerationVersion,
  ai_tags_generation_version: ({ upload }) => upload.aiTagsGenerationVersion,
  virus_scan_generation_version: ({ upload }) => upload.virusScanGenerationVersion,
  ai_description_input_ref: ({ upload }) => upload.aiDescriptionInputRef,
  intent_metadata: ({ upload }) => JSON.stringify(upload.intentMetadata),
  external_path: ({ upload }) => upload.externalPath,
  order: ({ upload }) => upload.order,
  is_virtual_file: ({ upload }) => upload.isVirtualFile,
  integration_hidden: ({ upload }) => upload.integrationHidden,
} satisfies Values<UploadRecord>;

/** The columns of an upload that an object always has, without ID and times. */
const storedObjectValues = {
  path: ({ path }) => path,
  filename: ({ filename }) => filename,
  filename_nfc: ({ filename }) => nfcWhereDifferent(filename),
  filename_folded: ({ filename }) => foldName(filename),
  size_bytes: ({ sizeBytes }) => sizeBytes,
  type: ({ type }) => type,
  external_path: ({ externalPath }) => externalPath,
  intent_metadata: ({ intentMetadata }) => JSON.stringify(intentMetadata),
} satisfies Values<ObjectFields>;

export const objectColumns = Object.keys(storedObjectValues);

/** The columns of an upload that an object may have. */
export const objectValues = {
  upload_id: ({ uploadId }) => uploadId,
  ...storedObjectValues,
  tags: ({ tags }) => tags,
  created_at: ({ createdAtMicros }) =>
    createdAtMicros === undefined ? null : isoOfMicros(createdAtMicros),
  updated_at: ({ updatedAtMicros }) => isoOfMicros(updatedAtMicros),
} satisfies Values<ObjectFields>;

/** The slug of an object is its filename. */
export const slugOfObject = {
  slug: objectValues.filename,
  slug_nfc: objectValues.filename_nfc,
  slug_folded: objectValues.filename_folded,
} satisfies Values<ObjectFields>;

const emptyUpload = {
  kind: "upload",
  line: 0,
  bucketId: "",
  upload: create(UploadSchema),
} as const;

/** The columns that an object does not have, with the values, in SQL, of a new upload. */
export const emptyUploadColumns: readonly [column: string, value: string][] = Object.entries(
  uploadValues,
)
  .filter(
    ([column]) => !(column in objectValues || column in slugOfObject || column === "bucket_id"),
  )
  .map(([column, value]) => [column, literal(value(emptyUpload))]);

function literal(value: CopyValue): string {
  if (value === null) return "null";
  return typeof value === "string" ? `'${value}'` : String(value);
}

// Nearly every name is in form C already. It is then not stored twice.
function nfcWhereDifferent(name: string): string | null {
  const nfc = normaliseName(name);
  return nfc === name ? null : nfc;
}

function timeText(time: Timestamp | undefined): string | null {
  return time === undefined ? null : isoAtOrBefore(time);
}
