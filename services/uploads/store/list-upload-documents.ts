import sql, { raw, type Sql } from "sql-template-tag";
import type { Position } from "../domain/cursor.ts";
import type { Run } from "./database.ts";
import {
  type PageRequest,
  sortColumn,
  type UploadList,
  uploadConditions,
  uploadOrder,
} from "./upload-list.ts";

/** One page of a list, as answers have it. */
export interface DocumentPage {
  /** The uploads' JSON, with commas between. */
  readonly documents: string;
  /** Where the page ends; none where nothing follows. */
  readonly next: Position | undefined;
}

interface PageRow {
  access_version: string | null;
  documents: string | null;
  last_sort_key: string | null;
  last_upload_id: string | null;
  is_followed: boolean;
}

/**
 * The uploads of the list that follow `after`, at most `pageSize`, and the bucket's access version,
 * by one statement. It gives one row: to take in fifty costs more than all else that a list does.
 *
 * @param accessVersion the version, as SQL.
 */
export async function listUploadDocuments(
  run: Run,
  { accessVersion, ...list }: UploadList & { readonly accessVersion: Sql },
  { after, pageSize }: PageRequest,
): Promise<{ accessVersion: string | null; page: DocumentPage }> {
  const conditions = uploadConditions(list, after) ?? sql`false`;
  // One more than asked tells whether anything follows.
  const [row] = await run<PageRow>(
    sql`
    select ${accessVersion} as access_version,
      string_agg(p.document, ',') filter (where p.position <= ${pageSize}) as documents,
      (max(p.sort_key) filter (where p.position = ${pageSize}))::text as last_sort_key,
      max(p.upload_id) filter (where p.position = ${pageSize}) as last_upload_id,
      count(*) > ${pageSize} as is_followed
    from (
      select u.upload_id, u.sort_key, ${completeDocument} as document,
        row_number() over () as position
      from (
        select u.bucket_id, u.upload_id, u.integration_id, u.document,
          ${sortColumn(list.query)} as sort_key
        from uploads.uploads u
        where ${conditions}
        order by ${uploadOrder(list.query)}
        limit ${limitClass(pageSize + 1)}
      ) u
      limit ${pageSize + 1}
    ) p`,
    { prepared: true },
  );
  if (row === undefined) throw new Error("Cannot list uploads: an aggregate gave no row");
  const { documents, last_sort_key: sortKey, last_upload_id: uploadId } = row;
  const isCut = row.is_followed && sortKey !== null && uploadId !== null;
  return {
    accessVersion: row.access_version,
    page: { documents: documents ?? "", next: isCut ? { sortKey, uploadId } : undefined },
  };
}

// The integration is put before the member that follows it. That is the first place where these
// characters stand: in the JSON of a text, the quotes would be escaped.
const completeDocument = sql`case when u.integration_id is null then u.document else coalesce((
  select overlay(u.document placing ',"integration":' || i.document
    from strpos(u.document, ',"allowAnyExtension":') for 0)
  from uploads.integrations i
  where i.bucket_id = u.bucket_id and i.integration_id = u.integration_id), u.document) end`;

// A number that the planner sees: what it chooses for an unknown one may read the whole bucket. So
// that there are few different statements, it is one of two, and cut to size where it is too large.
function limitClass(limit: number): Sql {
  return raw(limit <= 51 ? "51" : "1001");
}
