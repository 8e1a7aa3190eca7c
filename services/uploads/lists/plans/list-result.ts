/**
 * The rows of a list statement, and what is made of them as they arrive:
 *
 *     access version       null if the name no longer means the bucket
 *     document             of each upload of the page, in order, and of one more if others follow
 *     …
 *     size of the bucket   if the plan was truncated; null if it was not
 *
 * A document is the JSON of an upload, made from the columns of its row. The other rows have a text
 * in the first column, and no filename.
 *
 * The last value is missing if the plan never stops early. It is also missing if another upload
 * follows the page: the row limit then ends the statement before PostgreSQL evaluates that value. A
 * document begins with a brace, and a size with a digit.
 */
import { accessVersion } from "../../access/bucket-lookup.ts";
import { noUploadColumns, UploadJson, uploadColumns } from "../../answers/upload-json.ts";
import type { Position, SortColumn, UploadQuery } from "../../model/upload-query.ts";
import type { BinaryRow } from "../../postgres/binary-row.ts";
import type { Column } from "../../postgres/column.ts";
import { addFirst } from "../../postgres/column-query.ts";
import type { PageSource, Truncation } from "./plan.ts";

/**
 * Most bytes of the documents and commas in one page, which leaves room for the cursor. A single
 * upload always fits.
 */
export const pageBytesMax = 8 * 1024 * 1024 - 4096;

/** The access version, the documents of a page, and that of the next upload. */
export function resultRowsMax(pageSize: number): number {
  return 1 + pageSize + 1;
}

/** The text of a statement whose page has the row limit `limit`. */
export function listStatementText(
  source: PageSource,
  limit: string,
  columns = uploadColumns({ withIntegration: true }),
): string {
  const truncation =
    source.isTruncated === undefined
      ? ""
      : `union all
    select case when ${source.isTruncated} then ${uploadsInBucket} end, ${noUploadColumns}`;
  return `${source.with ?? ""}
    ${emptyListText}
    union all
    (select ${columns} from ${source.from}
    where ${source.where}
    order by ${source.orderBy} ${limit})
    ${truncation}
    limit :resultRows`;
}

/** For a list that is empty whatever is in the bucket: only the access version. */
export const emptyListText = `select ${accessVersion} as text, ${noUploadColumns}`;

// Null would say that the plan was not truncated: a bucket that has been removed has size 0.
const uploadsInBucket = `coalesce(
      (select s.uploads from uploads.bucket_sizes s where s.bucket_id = :bucketId), 0)::text`;

/** Reads the rows of list statements of a bucket. */
export function listReader(options: { readonly baseUrl: string; readonly bucketId: string }) {
  const json = new UploadJson(options);
  const addRow = (column: Column, row: BinaryRow) => {
    if (json.isUpload(row)) column.addWritten((output) => json.write(row, output));
    else addFirst(column, row);
  };
  return { addRow, isEnough: pageBytesReached };
}

/** Reads the rows of statements that count a list: documents have nothing but the size. */
export function countReader(options: { readonly bucketId: string }) {
  const json = new UploadJson({ ...options, baseUrl: undefined });
  const addRow = (column: Column, row: BinaryRow) => {
    if (json.isUpload(row)) column.addWritten((output) => json.writeSize(row, output));
    else addFirst(column, row);
  };
  return { addRow };
}

/**
 * Whether the page is full by its bytes, so that no further row need be read. Only the documents
 * count, as in `documentsThatFit`: otherwise reading could stop when all documents still fit, and
 * the list would seem to end. For the same reason, there must be a value after the first document.
 */
export function pageBytesReached(column: Column): boolean {
  if (column.sizeBytes <= pageBytesMax || column.length <= 2) return false;
  return column.joined(1, column.length).length > pageBytesMax;
}

export interface Page {
  /**
   * The uploads as JSON in UTF-8, with commas between. They are part of the connection's memory:
   * copy them before its next statement.
   */
  readonly documents: Buffer;
  readonly rowCount: number;
  /** The end of the page; undefined if no uploads follow. */
  readonly next: Position | undefined;
}

interface ListResult {
  /** The access version of the bucket when the page was read. */
  readonly accessVersion: string | null;
  /** Wrong if the plan was truncated. */
  readonly page: Page;
  /** Undefined if the plan found the page. */
  readonly truncation: Truncation | undefined;
}

/** Decodes the result of a statement of one plan. */
export function decodeListResult(
  column: Column,
  { sortBy }: UploadQuery,
  pageSize: number,
): ListResult {
  const last = column.length > 1 ? column.at(-1) : undefined;
  // Undefined if the last value is a document, or the access version.
  const bucketSize = last?.[0] === documentStart ? undefined : last;
  const documentCount = column.length - (bucketSize === undefined ? 1 : 2);
  const rowCount = Math.min(documentCount, pageSize, documentsThatFit(column, documentCount));
  const othersFollow = documentCount > rowCount;
  return {
    accessVersion: column.at(0)?.toString() ?? null,
    page: {
      documents: column.joined(1, 1 + rowCount),
      rowCount,
      next: othersFollow ? positionOf(column.at(rowCount), sortBy) : undefined,
    },
    truncation:
      bucketSize && !othersFollow
        ? { found: documentCount, uploadsInBucket: Number(bucketSize.toString()) }
        : undefined,
  };
}

const documentStart = "{".charCodeAt(0);

/** How many documents fit into a page. */
function documentsThatFit(column: Column, documentCount: number): number {
  if (column.sizeBytes <= pageBytesMax) return documentCount;
  let count = 1;
  while (count < documentCount && column.joined(1, 2 + count).length <= pageBytesMax) count += 1;
  return count;
}

function positionOf(document: Buffer | null | undefined, sortBy: SortColumn): Position {
  if (!document) throw new Error("Cannot end a page: need the document of its last upload");
  const upload: Positioned = JSON.parse(document.toString());
  return { sortKey: String(upload[sortMembers[sortBy]]), uploadId: upload.uploadId };
}

/** The members of a document that hold the sort keys, with full precision. */
const sortMembers = {
  created_at: "createdAt",
  updated_at: "updatedAt",
  filename: "filename",
  size_bytes: "sizeBytes",
  order: "order",
} as const satisfies Record<SortColumn, string>;

type Positioned = Readonly<Record<(typeof sortMembers)[SortColumn] | "uploadId", string>>;
