import sql, { raw } from "sql-template-tag";
import { accessVersion } from "../access/bucket-lookup.ts";
import type { ReadColumn } from "../postgres/database.ts";
import { type PageRequest, pageBound } from "../search/upload-list.ts";
import { type CheckedList, type CheckedPage, completeDocument, pageOfColumn } from "./page.ts";
import { cutOf, cutText, type ListPlan } from "./plans/list-plan.ts";
import { type PlannedRead, readPage } from "./plans/read-page.ts";
import { wholePage } from "./plans/whole-page.ts";

/**
 * The uploads of the list that follow `after`, at most `pageSize`, and the bucket's access version,
 * by one statement for each plan that is tried.
 *
 * What is read has one column, since a row costs by the column, and the driver takes in fifty
 * short texts sooner than a long one.
 */
export async function listUploadDocuments(
  readColumn: ReadColumn,
  list: CheckedList,
  page: PageRequest,
): Promise<CheckedPage> {
  const whole = wholePage(list, page);
  if (whole === undefined) {
    return readPage(list, page, (plan) => listDocumentsBy(readColumn, plan, list, page));
  }
  const column = await readColumn(whole, { prepared: true });
  return pageOfColumn(column, column.length - 1, list, page);
}

/**
 * The page as one plan finds it.
 *
 * First comes the version, then the documents, and where these do not fill the page, whether the
 * plan was cut: a full page ends the statement before that is looked for.
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
    select ${accessVersion(list.question, list.bucketId)} as text
    union all
    select page.document from (
      select ${raw(completeDocument)} as document from ${plan.from}
      where ${plan.where} order by ${plan.orderBy} limit ${raw(String(pageBound(page)))}
    ) page
    union all
    select ${cutText(plan, list.bucketId)}
    limit ${1 + limit}`,
    { prepared: plan.prepared },
  );
  const behind = column.at(-1);
  const isFull = behind?.[0] === documentStart;
  const documentCount = column.length - (isFull ? 1 : 2);
  return {
    cut: isFull ? undefined : cutOf(documentCount, behind?.toString()),
    result: pageOfColumn(column, documentCount, list, page),
  };
}

/** What tells whether the plan was cut does not begin so. */
const documentStart = "{".charCodeAt(0);
