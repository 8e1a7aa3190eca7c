/** Reads one page of a list: tries plans, each of them one statement, until one finds the page. */
import { isQueryCancelled } from "@stowage/process";
import type { ReadResult } from "../access/bucket-reader.ts";
import type { TriedPlan } from "../calls/call-details.ts";
import { ApiError } from "../model/api-error.ts";
import type { ColumnReader } from "../postgres/column-query.ts";
import { wordsOfFolders } from "../search/query-conditions.ts";
import { readWordFolders } from "../search/word-folders.ts";
import { choosePlans } from "./plans/choose-plans.ts";
import { decodeListResult, type Page } from "./plans/list-result.ts";
import { listScope, type PageRequest, type UploadList } from "./plans/parameters.ts";
import type { PlannedRead } from "./plans/plan.ts";
import { emptyListStatement, listStatements } from "./plans/statement.ts";

interface PageReader {
  /** The plans that were tried so far, in order. */
  readonly plansTried: readonly TriedPlan[];
  /**
   * Finds the page. If `duration` is `short`, it stops before the first plan that may take long,
   * and after an index fetch that did take long. The next call continues with the next plan. A
   * single plan finds the page, so the plans need not see the same state of the database.
   */
  readonly read: ReadResult<Page>;
}

/**
 * Reads the uploads of the list that follow `after`, at most `pageSize` and at most 8 MiB.
 *
 * @param reader what becomes of the rows: `listReader` or `countReader`.
 */
export function createPageReader(
  list: UploadList,
  request: PageRequest,
  reader: ColumnReader,
): PageReader {
  const { query, bucketNumber } = list;
  const { pageSize } = request;
  const plansTried: TriedPlan[] = [];
  const scope = listScope(list);
  if (scope === undefined) {
    // An empty list needs the access version too.
    const read: ReadResult<Page> = async (readColumn) => {
      const column = await readColumn(emptyListStatement(list), reader);
      const { accessVersion, page } = decodeListResult(column, query, pageSize);
      return { accessVersion, result: page };
    };
    return { plansTried, read };
  }

  const plansOf = (list: UploadList) => {
    const plans = choosePlans(list, scope, request);
    return { plans, statementFor: listStatements(list, scope, request), next: plans.next() };
  };
  const words = query.filters === undefined ? [] : wordsOfFolders(query.filters);
  let chosen: ReturnType<typeof plansOf> | undefined;
  let accessVersion: string | null = null;
  const read: ReadResult<Page> = async (readColumn, duration) => {
    const wordFolders = await readWordFolders(readColumn, bucketNumber, words);
    chosen ??= plansOf({ ...list, wordFolders });
    const { plans, statementFor } = chosen;
    while (
      chosen.next.done !== true &&
      (duration === "long" || chosen.next.value.isLong !== true)
    ) {
      const planned = chosen.next.value;
      const column = await readColumn(statementFor(planned), reader).catch((error) => {
        if (duration === "long" || !isFetchTimeout(planned, error)) throw error;
        return undefined;
      });
      if (column === undefined) {
        plansTried.push(triedPlan(planned, true));
        chosen.next = plans.next(nothingFound);
        // After an error, the connection reads nothing more.
        return { accessVersion, result: undefined };
      }
      const result = decodeListResult(column, query, pageSize);
      const { page, truncation } = result;
      accessVersion = result.accessVersion;
      plansTried.push(triedPlan(planned, truncation !== undefined));
      if (truncation === undefined) return { accessVersion, result: page };
      chosen.next = plans.next(truncation);
    }
    return { accessVersion, result: undefined };
  };
  return { plansTried, read };
}

// An index fetch takes long if a text is common, but not in its sample. The timeout must not fail
// the list, since other plans may find the page.
function isFetchTimeout({ plan }: PlannedRead, error: unknown): boolean {
  return plan.kind === "index fetch" && error instanceof ApiError && isQueryCancelled(error.cause);
}

/** The plans after a fetch do not depend on what it found. */
const nothingFound = { found: 0, uploadsInBucket: 0 };

function triedPlan({ plan, parameters }: PlannedRead, isTruncated: boolean): TriedPlan {
  if (!isTruncated) return { plan: plan.kind };
  const budget = "budget" in plan ? plan.budget : parameters?.fetchedMax;
  return { plan: plan.kind, truncatedAtRows: budget ?? 0 };
}
