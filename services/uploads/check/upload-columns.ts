import { create, fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { UserReferenceSchema } from "@stowage/api/svc/api/v1/references_pb";
import {
  AliasSchema,
  MetaUploadSchema,
  type Upload,
  UploadSchema,
  type UploadType,
} from "@stowage/api/svc/api/v1/upload_pb";
import sql from "sql-template-tag";
import { timestampOfMicros } from "../model/timestamps.ts";
import {
  type IntegrationColumns,
  integrationColumns,
  integrationOf,
} from "./integration-columns.ts";

/** What is read of an upload `u` and its integration `i`. Times are in microseconds since 1970. */
export const uploadColumns = sql`
  u.upload_id, u.filename, u.path, u.slug, u.url, u.content_url, u.size_bytes, u.type, u.tags,
  u.integration_id, ${integrationColumns("i")} as integration, u.allow_any_extension,
  u.default_slug_extension, u.generated_description, u.meta_uploads, u.private, u.aliases,
  (extract(epoch from u.created_at) * 1000000)::bigint as created_at_micros,
  (extract(epoch from u.updated_at) * 1000000)::bigint as updated_at_micros,
  u.author_user_id, u.author_username, u.last_modified_by_user_id, u.last_modified_by_username,
  u.thumbnail_generation_version, u.ai_description_generation_version,
  u.ai_tags_generation_version, u.virus_scan_generation_version, u.ai_description_input_ref,
  u.intent_metadata, u.external_path, u."order", u.is_virtual_file, u.integration_hidden`;

/** Joins the integration `i` to each upload `u`, in the order of the uploads. */
const uploadIntegration = sql`left join lateral (
  select own.* from uploads.integrations own
  where own.bucket_id = u.bucket_id and own.integration_id = u.integration_id offset 0) i on true`;

/** Where `uploadColumns` come from. */
export const uploadTables = sql`uploads.uploads u ${uploadIntegration}`;

/** A row of `uploadColumns`, as the driver gives it: 64-bit integers are text. */
export interface UploadRow {
  upload_id: string;
  filename: string;
  path: string;
  slug: string;
  url: string;
  content_url: string;
  size_bytes: string;
  type: number;
  tags: string[];
  integration_id: string | null;
  integration: IntegrationColumns;
  allow_any_extension: boolean;
  default_slug_extension: string;
  generated_description: string;
  meta_uploads: JsonValue[];
  private: boolean;
  aliases: JsonValue[];
  created_at_micros: string;
  updated_at_micros: string;
  author_user_id: string | null;
  author_username: string | null;
  last_modified_by_user_id: string | null;
  last_modified_by_username: string | null;
  thumbnail_generation_version: number;
  ai_description_generation_version: number;
  ai_tags_generation_version: number;
  virus_scan_generation_version: number;
  ai_description_input_ref: string;
  intent_metadata: Record<string, JsonObject>;
  external_path: string;
  order: number;
  is_virtual_file: boolean;
  integration_hidden: boolean;
}

/** The message of a row. */
export function uploadOf(row: UploadRow): Upload {
  const integration = integrationOf(row.integration);
  const author = userOf(row.author_user_id, row.author_username);
  const modifier = userOf(row.last_modified_by_user_id, row.last_modified_by_username);
  return create(UploadSchema, {
    uploadId: row.upload_id,
    filename: row.filename,
    path: row.path,
    slug: row.slug,
    url: row.url,
    contentUrl: row.content_url,
    sizeBytes: BigInt(row.size_bytes),
    type: row.type as UploadType,
    tags: row.tags,
    integrationId: row.integration_id ?? "",
    ...(integration && { integration }),
    allowAnyExtension: row.allow_any_extension,
    defaultSlugExtension: row.default_slug_extension,
    generatedDescription: row.generated_description,
    metaUploads: row.meta_uploads.map((json) => fromJson(MetaUploadSchema, json)),
    private: row.private,
    aliases: row.aliases.map((json) => fromJson(AliasSchema, json)),
    createdAt: timestampOfMicros(BigInt(row.created_at_micros)),
    updatedAt: timestampOfMicros(BigInt(row.updated_at_micros)),
    ...(author && { author }),
    ...(modifier && { lastModifiedBy: modifier }),
    thumbnailGenerationVersion: row.thumbnail_generation_version,
    aiDescriptionGenerationVersion: row.ai_description_generation_version,
    aiTagsGenerationVersion: row.ai_tags_generation_version,
    virusScanGenerationVersion: row.virus_scan_generation_version,
    aiDescriptionInputRef: row.ai_description_input_ref,
    intentMetadata: row.intent_metadata,
    externalPath: row.external_path,
    order: row.order,
    isVirtualFile: row.is_virtual_file,
    integrationHidden: row.integration_hidden,
  });
}

function userOf(userId: string | null, username: string | null) {
  if (userId === null) return undefined;
  return create(UserReferenceSchema, { userId: BigInt(userId), username: username ?? "" });
}
