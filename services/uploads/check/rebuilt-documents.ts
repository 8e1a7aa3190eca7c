/**
 * The rows' documents, made anew. A document is a row's JSON in answers, as text, without the
 * integrations, which change by themselves. The database makes it from the columns; here it is made
 * the other way, by message and `writeJson`, like answers in other encodings.
 */
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { writeJson } from "@stowage/api/json/write-json";
import { FolderSchema } from "@stowage/api/svc/api/v1/folder_pb";
import { IntegrationSchema } from "@stowage/api/svc/api/v1/integration_pb";
import { UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import type pg from "pg";
import sql, { raw, type Sql } from "sql-template-tag";
import type { Run } from "../postgres/database.ts";
import { type FolderRow, folderColumns, folderOf, folderTables } from "./folder-columns.ts";
import {
  type IntegrationColumns,
  integrationColumns,
  integrationOf,
} from "./integration-columns.ts";
import { type UploadRow, uploadColumns, uploadOf, uploadTables } from "./upload-columns.ts";

/** A row's document, and what its columns make. */
export interface RebuiltDocument {
  readonly table: string;
  readonly bucketId: string;
  readonly id: string;
  readonly document: string;
  readonly rebuilt: string;
}

/** Every document in the index, a page of rows at a time. */
export async function* rebuiltDocuments(run: Run): AsyncGenerator<RebuiltDocument> {
  yield* documentsOf<UploadRow>(run, {
    table: "uploads",
    alias: raw("u"),
    key: raw("upload_id"),
    columns: uploadColumns,
    from: uploadTables,
    rebuild: (row) => textOf(UploadSchema, uploadOf({ ...row, integration: null })),
  });
  yield* documentsOf<FolderRow>(run, {
    table: "folders",
    alias: raw("f"),
    key: raw("folder_id"),
    columns: folderColumns,
    from: folderTables,
    rebuild: ({ ...row }) => {
      row.scoping_integration = null;
      row.virtual_file_integration = null;
      return textOf(FolderSchema, folderOf(row));
    },
  });
  yield* documentsOf<{ integration: IntegrationColumns }>(run, {
    table: "integrations",
    alias: raw("i"),
    key: raw("integration_id"),
    columns: sql`${integrationColumns("i")} as integration`,
    from: sql`uploads.integrations i`,
    rebuild: (row) => textOf(IntegrationSchema, integrationOf(row.integration)),
  });
}

interface DocumentTable<Row> {
  readonly table: string;
  readonly alias: Sql;
  /** The key within a bucket. */
  readonly key: Sql;
  readonly columns: Sql;
  readonly from: Sql;
  readonly rebuild: (row: Row) => string;
}

const pageRows = 500;

interface KeyRow extends pg.QueryResultRow {
  bucket_id: string;
  id: string;
  document: string;
}

async function* documentsOf<Row extends pg.QueryResultRow>(
  run: Run,
  { table, alias, key, columns, from, rebuild }: DocumentTable<Row>,
): AsyncGenerator<RebuiltDocument> {
  let after: Sql = sql`true`;
  for (;;) {
    const rows: (Row & KeyRow)[] = await run(sql`
      select ${columns}, ${alias}.bucket_id, ${alias}.${key} as id, ${alias}.document
      from ${from} where ${after}
      order by ${alias}.bucket_id, ${alias}.${key} limit ${pageRows}`);
    for (const row of rows) {
      const { bucket_id: bucketId, id, document } = row;
      yield { table, bucketId, id, document, rebuilt: rebuild(row) };
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = sql`(${alias}.bucket_id, ${alias}.${key}) > (${last.bucket_id}, ${last.id})`;
  }
}

function textOf<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc> | undefined) {
  return message === undefined ? "" : JSON.stringify(writeJson(schema, message));
}
