/**
 * The one builder of list statements.
 *
 * The text of a statement depends on its plan and on the shape of the list, never on data, so their
 * number is known, and each is built once. Values are parameters. Only row budgets are part of the
 * text, from a fixed ladder (`budgets.ts`): for an unknown limit, the planner may choose to read
 * the whole bucket.
 */
import { versionParameters } from "../../access/bucket-lookup.ts";
import { sizeColumns } from "../../answers/upload-json.ts";
import {
  type NamedStatement,
  nameStatement,
  type Statement,
  valuesOf,
} from "../../postgres/named-parameters.ts";
import type { ListShape } from "./conditions.ts";
import { folderFetch, indexFetch, rangeOfKeysFetch } from "./fetches.ts";
import { emptyListText, listStatementText } from "./list-result.ts";
import {
  filterParameters,
  type ListScope,
  listShape,
  type PageRequest,
  pageParameters,
  type UploadList,
} from "./parameters.ts";
import {
  type PageClass,
  type PageSource,
  type Plan,
  type PlannedRead,
  pageClassOf,
  rowLimit,
} from "./plan.ts";
import { indexScan, rowScan, wholePage } from "./scans.ts";
import { skipIndexScan } from "./skip-index-scan.ts";

/** Returns the function that makes the statement of a plan, with its values, for one page. */
export function listStatements(
  list: UploadList,
  scope: ListScope,
  request: PageRequest,
): (planned: PlannedRead) => Statement {
  const pageClass = pageClassOf(request.pageSize);
  const shape = listShape(list, scope);
  const ofPage = pageParameters(list, scope, request);
  let ofFilters: ReturnType<typeof filterParameters> | undefined;
  return ({ plan, parameters }) => {
    const statement = planStatement(plan, shape, pageClass);
    // Most lists have no filter and need no parameters of filters.
    if (plan.kind !== "whole page") ofFilters ??= filterParameters(list, scope);
    return {
      name: isFrequent(plan, pageClass) ? statement.name : undefined,
      text: statement.text,
      values: valuesOf(statement, { ...ofPage, ...ofFilters, ...parameters }),
    };
  };
}

/** The statement for a list that is empty whatever is in the bucket. */
export function emptyListStatement({ bucketNumber, lookup }: UploadList): Statement {
  const { name, text } = emptyList;
  const values = valuesOf(emptyList, { bucketNumber, ...versionParameters(lookup) });
  return { name, text, values };
}

const emptyList = nameStatement(emptyListText);

const statements = new Map<string, NamedStatement>();

/** The statement of a plan for a shape of lists. */
export function planStatement(plan: Plan, shape: ListShape, pageClass: PageClass): NamedStatement {
  const { sortBy, sortOrder, isFolder } = shape;
  const filters = filtersInText(plan, shape);
  const limit = readsRowsInOrder(plan) ? `limit ${rowLimit[pageClass]}` : "limit :pageRows";
  const isCount = pageClass === "count";
  const key = JSON.stringify({ ...plan, sortBy, sortOrder, isFolder, filters, limit, isCount });
  let statement = statements.get(key);
  if (statement === undefined) {
    const source = pageSource(plan, { ...shape, filters });
    const columns = isCount ? sizeColumns : undefined;
    statement = nameStatement(listStatementText(source, limit, columns));
    statements.set(key, statement);
  }
  return statement;
}

/** The shorter texts are only for the plans that lists of these filters mostly need. */
function filtersInText({ kind }: Plan, { filters }: ListShape): ListShape["filters"] {
  switch (kind) {
    case "whole page":
      return "none";
    case "index scan":
      return filters === "name" ? "any" : filters;
    case "skip-index scan":
    case "index fetch":
      return filters === "none" ? "any" : filters;
    default:
      return filters === "query" ? "query" : "any";
  }
}

/**
 * Whether the server is to keep the statement. Large pages and long scans are rare, and running
 * them takes far longer than planning them.
 */
function isFrequent(plan: Plan, pageClass: PageClass): boolean {
  if (!("budget" in plan)) return true;
  return pageClass === "small" && plan.budget !== undefined && plan.budget <= frequentBudgetMax;
}

const frequentBudgetMax = 65_280;

function readsRowsInOrder({ kind }: Plan): boolean {
  return kind === "whole page" || kind === "row scan";
}

function pageSource(plan: Plan, shape: ListShape): PageSource {
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
    case "range":
      return rangeOfKeysFetch(shape, plan.by, plan.budget);
    case "folder":
      return folderFetch(shape, plan.budget);
  }
}

/**
 * Settings of the connections that lists are read by. Plans are made once and not for every
 * request, which often takes longer than the statement itself. Compilation, parallel workers and
 * memoization cost more than they save here. Where an index leaves only uploads with the same
 * prefix of their IDs to be sorted, the planner would rather sort all of a bucket or folder, since
 * it expects one of average size: without plain sorts, it uses the order of the index.
 */
export const listSessionSettings = {
  plan_cache_mode: "force_generic_plan",
  jit: "off",
  max_parallel_workers_per_gather: "0",
  enable_memoize: "off",
  enable_sort: "off",
};
