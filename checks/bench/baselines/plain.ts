/**
 * *Plain*: the code that one writes first, from the documentation of connect-es and the driver. A
 * handler reads columns and returns a message. No token, no cursor.
 */
import { create, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import {
  AliasSchema,
  MetaUploadSchema,
  type Upload,
  UploadSchema,
} from "@stowage/api/svc/api/v1/upload_pb";
import { pageQuery, pageSize } from "./page-query.ts";
import { serveBaseline } from "./serve-baseline.ts";

serveBaseline("plain", (pool) =>
  connectNodeAdapter({
    routes: (router) =>
      router.service(BucketUploadsService, {
        async listUploads(request) {
          const { rows } = await pool.query<Row>(pageQuery(columns, request));
          return { uploads: rows.slice(0, pageSize).map(messageOf), nextCursor: "" };
        },
      }),
    jsonOptions: { alwaysEmitImplicit: true },
  }),
);

/** The columns are named like the fields; no upload in the data sets has an integration's name. */
const fields = UploadSchema.fields.filter(({ name }) => name !== "integration");
const columns = fields
  .map(({ name }) =>
    /^(?:author|last_modified_by)$/.test(name) ? `${name}_user_id, ${name}_username` : `"${name}"`,
  )
  .join(", ");

/** The driver gives them as the message has them, but for those that are named here. */
type Row = Readonly<Record<string, string | null>> & {
  readonly meta_uploads: readonly JsonValue[];
  readonly aliases: readonly JsonValue[];
  readonly created_at: Date;
  readonly updated_at: Date;
};

function messageOf(row: Row): Upload {
  const sameFields = fields.map(({ name, localName }) => [localName, row[name] ?? undefined]);
  return create(UploadSchema, {
    ...Object.fromEntries(sameFields),
    sizeBytes: BigInt(row.size_bytes ?? 0),
    metaUploads: row.meta_uploads.map((json) => fromJson(MetaUploadSchema, json)),
    aliases: row.aliases.map((json) => fromJson(AliasSchema, json)),
    createdAt: timestampFromDate(row.created_at),
    updatedAt: timestampFromDate(row.updated_at),
    author: userOf(row.author_user_id, row.author_username),
    lastModifiedBy: userOf(row.last_modified_by_user_id, row.last_modified_by_username),
  });
}

function userOf(userId: string | null | undefined, username: string | null | undefined) {
  return userId == null ? undefined : { userId: BigInt(userId), username: username ?? "" };
}
