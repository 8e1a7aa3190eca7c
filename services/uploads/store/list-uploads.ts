import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import sql, { join, raw, type Sql } from "sql-template-tag";
import type { Position } from "../domain/cursor.ts";
import { clipRanges, folderRange, type KeyRange, subtreeRange } from "../domain/key-range.ts";
import { isoOfMicros } from "../domain/timestamps.ts";
import { treeKey } from "../domain/tree-key.ts";
import type { SortColumn, UploadQuery } from "../domain/upload-query.ts";
import type { View } from "../domain/view.ts";
import type { Run } from "./database.ts";
import { uploadNameMatches } from "./name-conditions.ts";
import { type UploadRow, uploadColumns, uploadOf, uploadTables } from "./upload-columns.ts";
import { inRanges, uploadIsShown } from "./view-conditions.ts";

/** One page of a list. */
export interface UploadPage {
  readonly uploads: Upload[];
  /** Where the page ends; none where nothing follows. */
  readonly next: Position | undefined;
}

/** The uploads of the list that follow `after`, at most `pageSize`. */
export async function listUploads(
  run: Run,
  list: { bucketId: string; view: View; query: UploadQuery },
  page: { after: Position | undefined; pageSize: number },
): Promise<UploadPage> {
  const { bucketId, view, query } = list;
  const ranges = rangesOf(query, view);
  if (ranges.length === 0) return { uploads: [], next: undefined };

  const { column, parameterType } = sortKeys[query.sortBy];
  const direction = raw(query.sortOrder);
  const conditions = [
    sql`u.bucket_id = ${bucketId}`,
    inRanges(sql`u.folder_key`, ranges),
    uploadIsShown(view.clientId),
    ...filterConditions(query),
  ];
  if (page.after !== undefined) {
    const { sortKey, uploadId } = page.after;
    const beyond = raw(query.sortOrder === "asc" ? ">" : "<");
    conditions.push(
      sql`(${column}, u.upload_id) ${beyond} (${sortKey}::${parameterType}, ${uploadId})`,
    );
  }
  // One more than asked tells whether anything follows.
  const rows = await run<UploadRow>(sql`
    select ${uploadColumns} from ${uploadTables}
    where ${join(conditions, " and ")}
    order by ${column} ${direction}, u.upload_id ${direction}
    limit ${page.pageSize + 1}`);

  const shown = rows.slice(0, page.pageSize);
  const last = rows.length > page.pageSize ? shown.at(-1) : undefined;
  return {
    uploads: shown.map(uploadOf),
    next: last && { sortKey: sortKeys[query.sortBy].textOf(last), uploadId: last.upload_id },
  };
}

function rangesOf(query: UploadQuery, view: View): readonly KeyRange[] {
  if (query.path === undefined) return view.ranges;
  const key = treeKey(query.path);
  return clipRanges(view.ranges, query.recursive ? subtreeRange(key) : folderRange(key));
}

function filterConditions({ tags, createdFrom, createdTo, name }: UploadQuery): Sql[] {
  const conditions: Sql[] = [];
  if (createdFrom !== undefined) {
    conditions.push(sql`u.created_at >= ${isoOfMicros(createdFrom)}::timestamptz`);
  }
  if (createdTo !== undefined) {
    conditions.push(sql`u.created_at <= ${isoOfMicros(createdTo)}::timestamptz`);
  }
  if (tags.allOf.length > 0) conditions.push(sql`u.tags @> ${tags.allOf}::text[]`);
  if (tags.anyOf.length > 0) conditions.push(sql`u.tags && ${tags.anyOf}::text[]`);
  if (tags.noneOf.length > 0) conditions.push(sql`not u.tags && ${tags.noneOf}::text[]`);
  if (name !== undefined) conditions.push(uploadNameMatches(name));
  return conditions;
}

interface SortKey {
  readonly column: Sql;
  readonly parameterType: Sql;
  /** The key as text that the database reads back to the same value. */
  readonly textOf: (row: UploadRow) => string;
}

const sortKeys: Record<SortColumn, SortKey> = {
  created_at: {
    column: sql`u.created_at`,
    parameterType: sql`timestamptz`,
    textOf: (row) => isoOfMicros(BigInt(row.created_at_micros)),
  },
  updated_at: {
    column: sql`u.updated_at`,
    parameterType: sql`timestamptz`,
    textOf: (row) => isoOfMicros(BigInt(row.updated_at_micros)),
  },
  filename: { column: sql`u.filename`, parameterType: sql`text`, textOf: (row) => row.filename },
  size_bytes: {
    column: sql`u.size_bytes`,
    parameterType: sql`bigint`,
    textOf: (row) => row.size_bytes,
  },
  order: {
    column: sql`u."order"`,
    parameterType: sql`integer`,
    textOf: (row) => String(row.order),
  },
};
