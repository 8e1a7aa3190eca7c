import sql, { raw, type Sql } from "sql-template-tag";
import type { Position } from "../domain/cursor.ts";
import type { SortColumn, UploadQuery } from "../domain/upload-query.ts";
import type { ReadColumn } from "./database.ts";
import { cutOf, cutText, type ListPlan } from "./list-plans/list-plan.ts";
import { type PlannedRead, readPage } from "./list-plans/read-page.ts";
import { type PageRequest, pageBound, type UploadList } from "./upload-list.ts";

/** One page of a list, as answers have it. */
export interface DocumentPage {
  /** The uploads as JSON in UTF-8, with commas between. */
  readonly documents: Buffer;
  /** Where the page ends; none where nothing follows. */
  readonly next: Position | undefined;
}

/** A list, and as SQL the access version of its bucket. */
export type CheckedList = UploadList & { readonly accessVersion: Sql };
export interface CheckedPage {
  readonly accessVersion: string | null;
  readonly page: DocumentPage;
}

/**
 * The uploads of the list that follow `after`, at most `pageSize`, and the bucket's access version,
 * by one statement for each plan that is tried.
 */
export function listUploadDocuments(
  readColumn: ReadColumn,
  list: CheckedList,
  page: PageRequest,
): Promise<CheckedPage> {
  return readPage(list, page, (plan) => listDocumentsBy(readColumn, plan, list, page));
}

/**
 * The page as one plan finds it.
 *
 * What is read has one column, since a row costs by the column, and the driver takes in fifty
 * short texts sooner than a long one. First comes the version, then the documents, and where these
 * do not fill the page, whether the plan was cut: a full page ends the statement before that is
 * looked for.
 */
export async function listDocumentsBy(
  readColumn: ReadColumn,
  plan: ListPlan,
  list: CheckedList,
  page: PageRequest,
): Promise<PlannedRead<CheckedPage>> {
  // One more than asked tells whether anything follows.
  const limit = page.pageSize + 1;
  const column = await readColumn(
    sql`
    ${plan.with}
    select ${list.accessVersion} as text
    union all
    select page.document from (
      select ${completeDocument} as document from ${plan.from}
      where ${plan.where} order by ${plan.orderBy} limit ${raw(String(pageBound(page)))}
    ) page
    union all
    select ${cutText(plan, list.bucketId)}
    limit ${1 + limit}`,
    { prepared: plan.prepared },
  );
  // What follows the page is one more upload, or whether the plan was cut.
  const behind = column.at(-1);
  const last = behind?.[0] === documentStart ? column.at(-2) : undefined;
  const next = last ? positionOf(JSON.parse(last.toString()), list.query) : undefined;
  const documents = column.joined(1, column.length - 1);
  return {
    cut: next === undefined ? cutOf(column.length - 2, behind?.toString()) : undefined,
    result: { accessVersion: column.at(0)?.toString() ?? null, page: { documents, next } },
  };
}

/** What tells whether the plan was cut does not begin so. */
const documentStart = "{".charCodeAt(0);

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

// The integration is put before the member that follows it. That is the first place where these
// characters stand: in the JSON of a text, the quotes would be escaped.
const completeDocument = sql`case when u.integration_id is null then u.document else coalesce((
  select overlay(u.document placing ',"integration":' || i.document
    from strpos(u.document, ',"allowAnyExtension":') for 0)
  from uploads.integrations i
  where i.bucket_id = u.bucket_id and i.integration_id = u.integration_id), u.document) end`;
