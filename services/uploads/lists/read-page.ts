/** Reads one page of a list: tries plans, each of them one statement, until one finds the page. */
import type { ReadResult } from "../access/bucket-reader.ts";
import type { TriedPlan } from "../model/call-details.ts";
import { choosePlans } from "./plans/choose-plans.ts";
import { decodeListResult, type Page, pageBytesReached } from "./plans/list-result.ts";
import { listScope, type PageRequest, type UploadList } from "./plans/parameters.ts";
import type { PlannedRead } from "./plans/plan.ts";
import { emptyListStatement, listStatements } from "./plans/statement.ts";

interface PageReader {
  /** The plans that were tried so far, in order. */
  readonly plansTried: readonly TriedPlan[];
  /**
   * Finds the page. If `duration` is `short`, it stops before the first plan that may take long.
   * The next call goes on with that plan. A plan is exact by itself, so the statements of a page
   * need not see the same state of the database.
   */
  readonly read: ReadResult<Page>;
}

/** Reads the uploads of the list that follow `after`, at most `pageSize` and at most 8 MiB. */
export function createPageReader(list: UploadList, request: PageRequest): PageReader {
  const { query } = list;
  const { pageSize } = request;
  const plansTried: TriedPlan[] = [];
  const scope = listScope(list);
  if (scope === undefined) {
    // Without uploads, the access version is needed all the same.
    const read: ReadResult<Page> = async (readColumn) => {
      const column = await readColumn(emptyListStatement(list));
      const { accessVersion, page } = decodeListResult(column, query, pageSize);
      return { accessVersion, result: page };
    };
    return { plansTried, read };
  }

  const plans = choosePlans(list, scope, request);
  const statementFor = listStatements(list, scope, request);
  let next = plans.next();
  let accessVersion: string | null = null;
  const read: ReadResult<Page> = async (readColumn, duration) => {
    while (next.done !== true && (duration === "long" || next.value.isLong !== true)) {
      const column = await readColumn(statementFor(next.value), pageBytesReached);
      const result = decodeListResult(column, query, pageSize);
      const { page, truncation } = result;
      accessVersion = result.accessVersion;
      plansTried.push(triedPlan(next.value, truncation !== undefined));
      if (truncation === undefined) return { accessVersion, result: page };
      next = plans.next(truncation);
    }
    return { accessVersion, result: undefined };
  };
  return { plansTried, read };
}

function triedPlan({ plan, parameters }: PlannedRead, isTruncated: boolean): TriedPlan {
  if (!isTruncated) return { plan: plan.kind };
  const budget = "budget" in plan ? plan.budget : parameters?.fetchedMax;
  return { plan: plan.kind, truncatedAtRows: budget ?? 0 };
}
