/** Reads one page of a list: tries plans until one finds it, and ends it before it is too large. */
import type { TriedPlan } from "../model/call-details.ts";
import type { ReadColumn } from "../postgres/statements.ts";
import { choosePlans } from "./plans/choose-plans.ts";
import { decodeListResult, type ListPage, pageBytesReached } from "./plans/list-result.ts";
import { listScope, type PageRequest, type UploadList } from "./plans/parameters.ts";
import type { PlannedRead } from "./plans/plan.ts";
import { emptyListStatement, listStatements } from "./plans/statement.ts";

export interface Page extends ListPage {
  /** The access version of the bucket when the page was read. */
  readonly accessVersion: string | null;
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
    const column = await readColumn(emptyListStatement(list));
    const { accessVersion, page } = decodeListResult(column, list.query, request.pageSize);
    return { accessVersion, ...page };
  }
  const plans = choosePlans(list, scope, request);
  const statementFor = listStatements(list, scope, request);
  let next = plans.next();
  let accessVersion: string | null = null;
  const readOn = async (readOne: ReadColumn, mayBeLong: boolean): Promise<Page | undefined> => {
    while (next.done !== true && (mayBeLong || next.value.isLong !== true)) {
      const column = await readOne(statementFor(next.value), pageBytesReached);
      const result = decodeListResult(column, list.query, request.pageSize);
      const { page, truncation } = result;
      const plan = next.value.plan.kind;
      tried.push(truncation ? { plan, truncatedAtRows: budgetOf(next.value) } : { plan });
      accessVersion = result.accessVersion;
      if (truncation === undefined) return { accessVersion, ...page };
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
