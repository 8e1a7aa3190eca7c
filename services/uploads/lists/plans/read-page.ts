import { listScope, type PageRequest, type UploadList } from "../../search/upload-list.ts";
import type { CutPlan, ListPlan } from "./list-plan.ts";
import { planForNothing, plansFor } from "./plans-for.ts";

/** What a statement made by a plan read. */
export interface PlannedRead<Result> {
  readonly result: Result;
  /** Where the plan stopped at its bound before the page was full: then the result is none. */
  readonly cut: CutPlan | undefined;
}

/**
 * Reads a page of a list by the plan that suits it. Each statement is exact by itself, so that they
 * need not see the same state of the database; the last one answers.
 *
 * @param read runs a statement that is made of the plan.
 */
export async function readPage<Result>(
  list: UploadList,
  page: PageRequest,
  read: (plan: ListPlan) => Promise<PlannedRead<Result>>,
): Promise<Result> {
  const scope = listScope(list);
  const plans = scope === undefined ? planForNothing() : plansFor({ list, scope, page });
  for (let plan = plans.next(); plan.done !== true; ) {
    const { result, cut } = await read(plan.value);
    if (cut === undefined) return result;
    plan = plans.next(cut);
  }
  throw new Error("Cannot list uploads: every plan stopped at its bound, need a last one without");
}
