/**
 * The *plain* way: what one writes first, from the documentation of connect-es and the driver. A
 * handler reads columns and returns a message. No token, no cursor.
 */
import { create, fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import {
  AliasSchema,
  MetaUploadSchema,
  type Upload,
  UploadSchema,
  type UploadType,
} from "@stowage/api/svc/api/v1/upload_pb";
import { pageQuery, pageSize } from "./page-query.ts";
import { serveYardstick } from "./serve-yardstick.ts";

serveYardstick("plain", (pool, { bucketId }) =>
  connectNodeAdapter({
    routes: (router) =>
      router.service(BucketUploadsService, {
        async listUploads(request) {
          const { rows } = await pool.query<Row>(pageQuery(columns, bucketId, request));
          return { uploads: rows.slice(0, pageSize).map(messageOf), nextCursor: "" };
        },
      }),
    jsonOptions: { alwaysEmitImplicit: true },
  }),
);

const columns = `upload_id, filename, path, slug, url, content_url, size_bytes, type, tags,
  integration_id, allow_any_extension, default_slug_extension, generated_description, meta_uploads,
  private, aliases, created_at, updated_at, author_user_id, author_username,
  last_modified_by_user_id, last_modified_by_username, thumbnail_generation_version,
  ai_description_generation_version, ai_tags_generation_version, virus_scan_generation_version,
  ai_description_input_ref, intent_metadata, external_path, "order", is_virtual_file,
  integration_hidden`;

interface Row {
  readonly upload_id: string;
  readonly filename: string;
  readonly path: string;
  readonly slug: string;
  readonly url: string;
  readonly content_url: string;
  readonly size_bytes: string;
  readonly type: UploadType;
  readonly tags: string[];
  readonly integration_id: string | null;
  readonly allow_any_extension: boolean;
  readonly default_slug_extension: string;
  readonly generated_description: string;
  readonly meta_uploads: JsonValue[];
  readonly private: boolean;
  readonly aliases: JsonValue[];
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly author_user_id: string | null;
  readonly author_username: string | null;
  readonly last_modified_by_user_id: string | null;
  readonly last_modified_by_username: string | null;
  readonly thumbnail_generation_version: number;
  readonly ai_description_generation_version: number;
  readonly ai_tags_generation_version: number;
  readonly virus_scan_generation_version: number;
  readonly ai_description_input_ref: string;
  readonly intent_metadata: Record<string, JsonObject>;
  readonly external_path: string;
  readonly order: number;
  readonly is_virtual_file: boolean;
  readonly integration_hidden: boolean;
}

function messageOf(row: Row): Upload {
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
    type: row.type,
    tags: row.tags,
    integrationId: row.integration_id ?? "",
    allowAnyExtension: row.allow_any_extension,
    defaultSlugExtension: row.default_slug_extension,
    generatedDescription: row.generated_description,
    metaUploads: row.meta_uploads.map((json) => fromJson(MetaUploadSchema, json)),
    private: row.private,
    aliases: row.aliases.map((json) => fromJson(AliasSchema, json)),
    createdAt: timestampFromDate(row.created_at),
    updatedAt: timestampFromDate(row.updated_at),
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
  return userId === null ? undefined : { userId: BigInt(userId), username: username ?? "" };
}
