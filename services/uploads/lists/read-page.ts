/** Reads one page of a list: tries plans, each of them one statement, until one finds the page. */
import { isQueryCancelled } from "@stowage/process";
import type { ReadResult } from "../access/bucket-reader.ts";
import type { TriedPlan } from "../calls/call-details.ts";
import { ApiError } from "../model/api-error.ts";
import type { ColumnReader } from "../postgres/column-query.ts";
import type { ReadColumn } from "../postgres/statements.ts";
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

  const words = query.filters === undefined ? [] : wordsOfFolders(query.filters);
  const startPlans = async (readColumn: ReadColumn, canTakeLong: boolean): Promise<Started> => {
    const wordFolders = await readWordFolders(readColumn, bucketNumber, words, canTakeLong);
    areFoldersKnown = canTakeLong || wordFolders.every(({ positions }) => positions !== undefined);
    const found = { ...list, wordFolders };
    const plans = choosePlans(found, scope, request);
    return { plans, statementFor: listStatements(found, scope, request), next: plans.next() };
  };
  let started: Started | undefined;
  let areFoldersKnown = false;
  let accessVersion: string | null = null;
  const tryPlans = async (
    { readColumn, duration }: Connection,
    started: Started,
    plansMax: number,
  ): Promise<Found> => {
    const { plans, statementFor } = started;
    for (let tried = 0; tried < plansMax && isToTry(started.next, duration); tried++) {
      const planned = started.next.value;
      const column = await readColumn(statementFor(planned), reader).catch((error) => {
        if (duration === "long" || !isFetchTimeout(planned, error)) throw error;
        return undefined;
      });
      if (column === undefined) {
        plansTried.push(triedPlan(planned, true));
        started.next = plans.next(nothingFound);
        // After an error, the connection reads nothing more.
        break;
      }
      const {
        page,
        truncation,
        accessVersion: version,
      } = decodeListResult(column, query, pageSize);
      accessVersion = version;
      plansTried.push(triedPlan(planned, truncation !== undefined));
      if (truncation === undefined) return { accessVersion, result: page };
      started.next = plans.next(truncation);
    }
    return { accessVersion, result: undefined };
  };
  const read: ReadResult<Page> = async (readColumn, duration) => {
    const connection = { readColumn, duration };
    if (started === undefined) {
      started = await startPlans(readColumn, false);
      if (!areFoldersKnown) {
        const first = await tryPlans(connection, started, 1);
        if (first.result !== undefined) return first;
      }
    }
    // All folders of a word are worth looking up if the first scan finds too little.
    if (!areFoldersKnown) {
      if (duration === "short") return { accessVersion, result: undefined };
      started = await startPlans(readColumn, true);
    }
    return tryPlans(connection, started, Number.POSITIVE_INFINITY);
  };
  return { plansTried, read };
}

interface Connection {
  readonly readColumn: ReadColumn;
  readonly duration: "short" | "long";
}

/** Plans, and the one that is tried next. */
interface Started {
  readonly plans: ReturnType<typeof choosePlans>;
  readonly statementFor: ReturnType<typeof listStatements>;
  next: ReturnType<Started["plans"]["next"]>;
}

type Found = Awaited<ReturnType<ReadResult<Page>>>;

function isToTry(
  next: Started["next"],
  duration: "short" | "long",
): next is IteratorYieldResult<PlannedRead> {
  return next.done !== true && (duration === "long" || next.value.isLong !== true);
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
