/** Reads one page of a list: tries plans until one finds it, and ends it before it is too large. */
import type { TriedPlan } from "../model/call-details.ts";
import type { Position, SortColumn, UploadQuery } from "../model/upload-query.ts";
import type { Column } from "../postgres/column.ts";
import { type Statement, valuesOf } from "../postgres/named-parameters.ts";
import type { ReadColumn } from "../postgres/statements.ts";
import {
  choosePlans,
  type PlannedRead,
  pageRowsMaxOf,
  type Truncation,
} from "./plans/choose-plans.ts";
import {
  filterParameters,
  type ListScope,
  listScope,
  type PageRequest,
  pageParameters,
  shapeOf,
  type UploadList,
} from "./plans/parameters.ts";
import { emptyPageStatement, isFrequent, statementOf } from "./plans/statement.ts";

/** Most bytes of the documents and commas in one page. A single upload always fits. */
const pageBytesMax = 8 * 1024 * 1024;

export interface Page {
  /** The access version of the bucket when the page was read. */
  readonly accessVersion: string | null;
  /**
   * The uploads as stored JSON documents in UTF-8, with commas between. They are part of the
   * connection's memory: copy them before its next statement.
   */
  readonly documents: Buffer;
  readonly rowCount: number;
  /** The end of the page; undefined if no uploads follow. */
  readonly next: Position | undefined;
}

/**
 * Reads the uploads of the list that follow `after`, at most `pageSize` and at most 8 MiB. Each
 * plan is one statement and exact by itself, so they need not see the same state of the database.
 * The last one answers. Before the first plan that may take long, returns a continuation, so that
 * the caller can use another connection.
 */
export async function readPage(
  readColumn: ReadColumn,
  list: UploadList,
  request: PageRequest,
  tried: TriedPlan[] = [],
): Promise<Page | LongPage> {
  const scope = listScope(list);
  if (scope === undefined) {
    // Without uploads, the access version is needed all the same.
    const parameters = pageParameters(list, { ranges: [] }, request);
    const statement = { ...emptyPageStatement, values: valuesOf(emptyPageStatement, parameters) };
    return readPlan(await readColumn(statement), list.query, request).page;
  }
  const plans = choosePlans(list, scope, request);
  const statementFor = statementsFor(list, scope, request);
  let next = plans.next();
  let accessVersion: string | null = null;
  const readOn = async (readOne: ReadColumn, mayBeLong: boolean): Promise<Page | undefined> => {
    while (next.done !== true && (mayBeLong || next.value.isLong !== true)) {
      const column = await readOne(statementFor(next.value), isEnough);
      const { page, truncation } = readPlan(column, list.query, request);
      const plan = next.value.plan.kind;
      tried.push(truncation ? { plan, truncatedAtRows: budgetOf(next.value) } : { plan });
      if (truncation === undefined) return page;
      accessVersion = page.accessVersion;
      next = plans.next(truncation);
    }
    return undefined;
  };
  const found = await readOn(readColumn, false);
  if (found !== undefined) return found;
  return {
    accessVersion,
    async readLong(readOne) {
      const page = await readOn(readOne, true);
      if (page !== undefined) return page;
      throw new Error("Cannot list uploads: every plan was truncated, need one without a limit");
    },
  };
}

/** A page that needs plans that may take long. It can be read once. */
interface LongPage {
  /** The access version of the bucket when the last short plan read. */
  readonly accessVersion: string | null;
  readonly readLong: (readColumn: ReadColumn) => Promise<Page>;
}

function budgetOf({ plan, parameters }: PlannedRead): number {
  return ("budget" in plan ? plan.budget : parameters?.fetchedMax) ?? 0;
}

/** Returns the function that makes the statement of a plan, with its values, for one page. */
export function statementsFor(
  list: UploadList,
  scope: ListScope,
  request: PageRequest,
): (planned: PlannedRead) => Statement {
  const pageRowsMax = pageRowsMaxOf(request);
  const shape = shapeOf(list, scope);
  const ofPage = pageParameters(list, scope, request);
  let ofFilters: ReturnType<typeof filterParameters> | undefined;
  return ({ plan, parameters }) => {
    const statement = statementOf(plan, shape, pageRowsMax);
    // Most lists have no filter, and their statements no such parameters.
    if (plan.kind !== "whole page") ofFilters ??= filterParameters(list, scope);
    return {
      name: isFrequent(plan, pageRowsMax) ? statement.name : undefined,
      text: statement.text,
      values: valuesOf(statement, { ...ofPage, ...ofFilters, ...parameters }),
    };
  };
}

/**
 * Whether the page is full by its bytes. The first value is the access version; another value after
 * a document tells whether the list goes on. The size is that of the documents alone, as in
 * `fittingDocuments`: otherwise all that was read could fit, and the list would seem to end.
 */
export function isEnough(column: Column): boolean {
  if (column.sizeBytes <= pageBytesMax || column.length <= 2) return false;
  return column.joined(1, column.length).length > pageBytesMax;
}

/** What the statement of one plan read. The page is wrong if the plan was truncated. */
export function readPlan(
  column: Column,
  query: UploadQuery,
  { pageSize }: PageRequest,
): { readonly page: Page; readonly truncation: Truncation | undefined } {
  const last = column.length > 1 ? column.at(-1) : undefined;
  // After the documents of a page that is not full comes the size of the bucket if the plan was
  // truncated, and null if not.
  const hasSize = last !== undefined && last?.[0] !== documentStart;
  const documentCount = column.length - (hasSize ? 2 : 1);
  const sizeMax = Math.min(pageSize, fittingDocuments(column, documentCount));
  // One upload more than the page holds tells that others follow.
  const isFull = documentCount > sizeMax;
  const rowCount = Math.min(documentCount, sizeMax);
  const page = {
    accessVersion: column.at(0)?.toString() ?? null,
    documents: column.joined(1, 1 + rowCount),
    rowCount,
    next: isFull ? positionOf(column.at(sizeMax), query) : undefined,
  };
  const truncation =
    hasSize && last && !isFull
      ? { found: documentCount, uploadsInBucket: Number(last.toString()) }
      : undefined;
  return { page, truncation };
}

/** How many documents fit into a page. Plans give them in the order of the list. */
function fittingDocuments(column: Column, documentCount: number): number {
  if (column.sizeBytes <= pageBytesMax) return documentCount;
  let count = 1;
  while (count < documentCount && column.joined(1, 2 + count).length <= pageBytesMax) count += 1;
  return count;
}

const documentStart = "{".charCodeAt(0);

function positionOf(document: Buffer | null | undefined, { sortBy }: UploadQuery): Position {
  if (!document) throw new Error("Cannot end a page: need the document of its last upload");
  const upload: UploadJson = JSON.parse(document.toString());
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

type UploadJson = Readonly<Record<(typeof sortMembers)[SortColumn] | "uploadId", string>>;
