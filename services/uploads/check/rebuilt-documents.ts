/**
 * Rebuilds the documents of rows. A document is the JSON of a row in answers, as text, without the
 * integrations. The database makes it from the columns by a function. Here a message is made from
 * the columns by the field names of the contract, and written by `writeJson`.
 */
import {
  create,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonValue,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { writeJson } from "@stowage/api/json/write-json";
import { FolderSchema } from "@stowage/api/svc/api/v1/folder_pb";
import { IntegrationSchema } from "@stowage/api/svc/api/v1/integration_pb";
import { UserReferenceSchema } from "@stowage/api/svc/api/v1/references_pb";
import { UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import { parentPath } from "../model/path.ts";
import { timestampOfMicros } from "../model/timestamps.ts";
import type { RunQuery } from "../postgres/statements.ts";

/** Documents of one table. */
export interface DocumentPage {
  readonly table: string;
  /** The column of the row's ID in its bucket. */
  readonly key: string;
  readonly documents: readonly RebuiltDocument[];
}

/** The document of a row, and the one that its columns make. */
export interface RebuiltDocument {
  readonly bucketId: string;
  readonly id: string;
  readonly document: string;
  readonly rebuilt: string;
}

/** A row as the driver returns it: 64-bit integers are text. */
interface Row {
  readonly [column: string]: unknown;
  readonly bucket_id: string;
  readonly document: string;
}

const rowsPerPage = 500;

// The driver's times have milliseconds only.
const micros = `,
  (extract(epoch from created_at) * 1000000)::bigint as created_at_micros,
  (extract(epoch from updated_at) * 1000000)::bigint as updated_at_micros`;

/** Every document in the index. */
export async function* rebuiltDocuments(run: RunQuery): AsyncGenerator<DocumentPage> {
  yield* documentsOf(run, "uploads", "upload_id", UploadSchema, micros);
  yield* documentsOf(run, "folders", "folder_id", FolderSchema);
  yield* documentsOf(run, "integrations", "integration_id", IntegrationSchema);
}

async function* documentsOf(
  run: RunQuery,
  table: string,
  key: string,
  schema: DescMessage,
  moreColumns = "",
): AsyncGenerator<DocumentPage> {
  let last: Row | undefined;
  for (;;) {
    const rows: Row[] = await run(
      `select *${moreColumns} from uploads.${table}
      where ${last === undefined ? "true" : `(bucket_id, ${key}) > (:bucketId, :id)`}
      order by bucket_id, ${key} limit ${rowsPerPage}`,
      { bucketId: last?.bucket_id, id: last?.[key] },
    );
    const documents = rows.map((row) => ({
      bucketId: row.bucket_id,
      id: String(row[key]),
      document: row.document,
      rebuilt: JSON.stringify(writeJson(schema, messageOf(schema, row))),
    }));
    yield { table, key, documents };
    last = rows.at(-1);
    if (last === undefined) return;
  }
}

function messageOf<Desc extends DescMessage>(schema: Desc, row: Row) {
  const members = schema.fields.map((field) => [field.localName, memberOf(field, row)]);
  const given = members.filter(([, value]) => value !== undefined);
  return create(schema, Object.fromEntries(given) as MessageInitShape<Desc>);
}

function memberOf(field: DescField, row: Row): unknown {
  const value = row[field.name];
  if (field.name === "parent_path") return parentPath(String(row.path)) ?? "";
  if (field.fieldKind === "message") return submessageOf(field.message, field.name, row);
  if (field.fieldKind === "list" && field.listKind === "message") {
    return (value as JsonValue[]).map((json) => fromJson(field.message, json));
  }
  // The IDs that are left out are null.
  if (value === null) return undefined;
  return field.name === "size_bytes" ? BigInt(String(value)) : value;
}

function submessageOf(schema: DescMessage, name: string, row: Row) {
  if (schema.typeName === TimestampSchema.typeName) {
    return timestampOfMicros(BigInt(String(row[`${name}_micros`])));
  }
  const userId = row[`${name}_user_id`] ?? null;
  // Integrations are not part of the document.
  if (schema.typeName !== UserReferenceSchema.typeName || userId === null) return undefined;
  const username = row[`${name}_username`] ?? "";
  return create(UserReferenceSchema, {
    userId: BigInt(String(userId)),
    username: String(username),
  });
}
