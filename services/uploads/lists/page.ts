/** Pages of lists as answers in JSON have them, out of what statements read. */

import type { BucketQuestion } from "../access/bucket-lookup.ts";
import type { Position, SortColumn, UploadQuery } from "../model/upload-query.ts";
import type { Column } from "../postgres/column.ts";
import type { PageRequest, UploadList } from "../search/upload-list.ts";

export interface DocumentPage {
  /** The uploads as JSON in UTF-8, with commas between. */
  readonly documents: Buffer;
  /** Where the page ends; none where nothing follows. */
  readonly next: Position | undefined;
}

/** A list, and the question for its bucket that has been answered already. */
export type CheckedList = UploadList & { readonly question: BucketQuestion };

/** A page, and the access version that the bucket had when it was read. */
export interface CheckedPage {
  readonly accessVersion: string | null;
  readonly page: DocumentPage;
}

/**
 * The document of an upload `u` as SQL. Its integration is put before the member that follows it.
 * That is the first place where these characters stand: in the JSON of a text, the quotes would be
 * escaped.
 */
export const completeDocument = `
  case when u.integration_id is null then u.document else coalesce((
    select overlay(u.document placing ',"integration":' || i.document
      from strpos(u.document, ',"allowAnyExtension":') for 0)
    from uploads.integrations i
    where i.bucket_id = u.bucket_id and i.integration_id = u.integration_id), u.document) end`;

/**
 * @param column begins with the access version, and goes on with `documentCount` documents. One
 *   more than the page holds tells that something follows.
 */
export function pageOfColumn(
  column: Column,
  documentCount: number,
  { query }: CheckedList,
  { pageSize }: PageRequest,
): CheckedPage {
  const last = documentCount > pageSize ? column.at(pageSize) : undefined;
  const next = last ? positionOf(JSON.parse(last.toString()), query) : undefined;
  const documents = column.joined(1, 1 + Math.min(documentCount, pageSize));
  return { accessVersion: column.at(0)?.toString() ?? null, page: { documents, next } };
}

function positionOf(upload: UploadJson, { sortBy }: UploadQuery): Position {
  return { sortKey: String(upload[members[sortBy]]), uploadId: upload.uploadId };
}

/** Where an upload's sort keys stand in its document, in full. */
const members = {
  created_at: "createdAt",
  updated_at: "updatedAt",
  filename: "filename",
  size_bytes: "sizeBytes",
  order: "order",
} as const satisfies Record<SortColumn, string>;

type UploadJson = Readonly<Record<(typeof members)[SortColumn] | "uploadId", string>>;
