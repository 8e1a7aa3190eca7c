/**
 * The one builder of list statements.
 *
 * The text of a statement depends on its plan and on the shape of the list, never on data, so their
 * number is known, and each is built once. Values are parameters. Only row budgets are part of the
 * text, from a fixed ladder (`choose-plans.ts`): for an unknown limit, the planner may choose to
 * read the whole bucket.
 */
import { accessVersion } from "../../access/bucket-lookup.ts";
import { type NamedStatement, numberParameters } from "../../postgres/named-parameters.ts";
import type { ListShape } from "./conditions.ts";
import { dateRangeFetch, folderFetch, indexFetch } from "./fetches.ts";
import type { PageRowsMax, PageSource, Plan } from "./plan.ts";
import { indexScan, rowScan, wholePage } from "./scans.ts";
import { skipIndexScan } from "./skip-index-scan.ts";

const statements = new Map<string, NamedStatement>();

/** The statement of a plan for a shape of lists. */
export function statementOf(
  plan: Plan,
  shape: ListShape,
  pageRowsMax: PageRowsMax,
): NamedStatement {
  const { sortBy, sortOrder, isFolder } = shape;
  const filters = filtersInText(plan, shape);
  const rows = readsRowsInOrder(plan) ? pageRowsMax : "any";
  const variant = Object.values(plan).join();
  const key = `${variant} ${sortBy} ${sortOrder} ${isFolder} ${filters} ${rows}`;
  let statement = statements.get(key);
  if (statement === undefined) {
    const limit = readsRowsInOrder(plan) ? `limit ${pageRowsMax}` : "limit :pageRows";
    statement = numberParameters(textOf(sourceOf(plan, { ...shape, filters }), limit));
    statements.set(key, statement);
  }
  return statement;
}

/** The shorter texts are only for the plans that lists of these filters mostly need. */
function filtersInText({ kind }: Plan, { filters, isFolder }: ListShape): ListShape["filters"] {
  switch (kind) {
    case "whole page":
      return "none";
    case "index scan":
      return filters === "none" && !isFolder ? "none" : "any";
    case "skip-index scan":
    case "index fetch":
      return filters === "name" ? "name" : "any";
    default:
      return "any";
  }
}

/**
 * Whether the server is to keep the statement. Large pages and long scans are rare, and take far
 * longer than to plan them.
 */
export function isFrequent(plan: Plan, pageRowsMax: PageRowsMax): boolean {
  if (!("budget" in plan)) return true;
  return pageRowsMax === 51 && plan.budget !== undefined && plan.budget <= frequentBudgetMax;
}

const frequentBudgetMax = 65_280;

function readsRowsInOrder({ kind }: Plan): boolean {
  return kind === "whole page" || kind === "row scan";
}

function sourceOf(plan: Plan, shape: ListShape): PageSource {
  switch (plan.kind) {
    case "whole page":
      return wholePage(shape, plan.isFirst);
    case "row scan":
      return rowScan(shape, plan.budget);
    case "index scan":
      return indexScan(shape, plan.budget, plan.isCounted);
    case "skip-index scan":
      return skipIndexScan(shape, plan.budget, plan.isCounted);
    case "index fetch":
      return indexFetch(shape);
    case "date range":
      return dateRangeFetch(shape, plan.budget);
    case "folder":
      return folderFetch(shape, plan.budget);
  }
}

/**
 * One column of text: the access version, then the documents, then the size of the bucket if the
 * plan was truncated. The row limit ends the statement before that if the page is full. A single
 * column costs less than several, for the server and for the reader.
 */
function textOf(source: PageSource, limit: string): string {
  const truncation =
    source.isTruncated === undefined
      ? ""
      : `union all
    select case when ${source.isTruncated} then ${uploadsInBucket} end`;
  return `${source.with ?? ""}
    select ${accessVersion} as text
    union all
    select page.document from (
      select ${uploadDocument} as document from ${source.from}
      where ${source.where}
      order by ${source.orderBy} ${limit}
    ) page
    ${truncation}
    limit :resultRows`;
}

// If the size of the bucket has not been recorded, no bucket has more uploads than the table.
const uploadsInBucket = `coalesce(
      (select s.uploads from uploads.bucket_sizes s where s.bucket_id = :bucketId),
      (select greatest(c.reltuples, 0)::bigint from pg_class c
        where c.oid = 'uploads.uploads'::regclass))::text`;

/**
 * The document of an upload `u`, with its integration before the member that follows it. That
 * member is the first place of these characters: inside a JSON string, quotes are escaped.
 */
const uploadDocument = `case when u.integration_id is null then u.document else coalesce((
        select overlay(u.document placing ',"integration":' || i.document
          from strpos(u.document, ',"allowAnyExtension":') for 0)
        from uploads.integrations i
        where i.bucket_id = :bucketId and i.integration_id = u.integration_id), u.document) end`;

/** For a list that is empty whatever is in the bucket: only the access version. */
export const emptyPageStatement = numberParameters(`select ${accessVersion} as text`);

/**
 * Settings of the connections that lists are read by. Plans are made once and not for every
 * request, which often takes longer than the statement itself. Compilation, parallel workers and
 * memoization cost more than they save here.
 */
export const listSessionSettings = {
  plan_cache_mode: "force_generic_plan",
  jit: "off",
  max_parallel_workers_per_gather: "0",
  enable_memoize: "off",
};
