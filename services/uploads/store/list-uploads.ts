import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import sql from "sql-template-tag";
import type { Position } from "../domain/cursor.ts";
import type { Run } from "./database.ts";
import { type UploadRow, uploadColumns, uploadOf, uploadTables } from "./upload-columns.ts";
import {
  type PageRequest,
  sortColumn,
  type UploadList,
  uploadConditions,
  uploadOrder,
} from "./upload-list.ts";

/** One page of a list. */
export interface UploadPage {
  readonly uploads: Upload[];
  /** Where the page ends; none where nothing follows. */
  readonly next: Position | undefined;
}

/** The uploads of the list that follow `after`, at most `pageSize`. */
export async function listUploads(
  run: Run,
  list: UploadList,
  { after, pageSize }: PageRequest,
): Promise<UploadPage> {
  const conditions = uploadConditions(list, after);
  if (conditions === undefined) return { uploads: [], next: undefined };
  // One more than asked tells whether anything follows.
  const rows = await run<UploadRow & { sort_key: string }>(sql`
    select ${uploadColumns}, ${sortColumn(list.query)}::text as sort_key from ${uploadTables}
    where ${conditions} order by ${uploadOrder(list.query)} limit ${pageSize + 1}`);
  const shown = rows.slice(0, pageSize);
  const last = rows.length > pageSize ? shown.at(-1) : undefined;
  return {
    uploads: shown.map(uploadOf),
    next: last && { sortKey: last.sort_key, uploadId: last.upload_id },
  };
}
