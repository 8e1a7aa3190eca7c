/** What a plan is, and what it gives to the statement (`statement.ts`). */

/** The most rows or index entries that a plan reads. Undefined means no limit. */
export type RowBudget = number | undefined;

/** How the uploads of a page are found: the parts of a statement that differ between plans. */
export interface PageSource {
  /** Queries before the `select`. */
  readonly with?: string;
  /** Gives uploads `u` with all their columns. */
  readonly from: string;
  readonly where: string;
  readonly orderBy: string;
  /**
   * Whether the plan stopped at its budget, so that uploads may be missing. Means nothing if the
   * page is full. Without it, the plan never stops early.
   */
  readonly isTruncated?: string;
}

/** The sorts whose keys a list can bound. */
export const rangeColumns = ["created_at", "updated_at", "size_bytes"] as const;
export type RangeColumn = (typeof rangeColumns)[number];

/** A plan: the kind of statement, and what else its text depends on. */
export type Plan =
  | { readonly kind: "whole page"; readonly isFirst: boolean }
  | { readonly kind: "index fetch" }
  | { readonly kind: "row scan"; readonly budget: RowBudget }
  | { readonly kind: "folder"; readonly budget: number }
  | { readonly kind: "range"; readonly by: RangeColumn; readonly budget: number }
  | {
      readonly kind: "index scan" | "skip-index scan";
      readonly budget: RowBudget;
      readonly isCounted: boolean;
    };

/** A plan, and the values of the parameters that are its own. */
export interface PlannedRead {
  readonly plan: Plan;
  readonly parameters?: Readonly<Record<string, number>>;
  /** Whether it may take longer than about 10 ms. Never true for the first plan of a page. */
  readonly isLong?: boolean;
}

/** Pages of at most 50 uploads, larger ones, and the count of a list. */
export type PageClass = "small" | "large" | "count";

/**
 * The most rows that a statement reads for a page of the class: those of the largest page, and one
 * more, which tells whether uploads follow. It is one of three constants, because the planner needs
 * a constant to choose well, and each constant is another statement.
 */
export const rowLimit = { small: 51, large: 1001, count: 10_001 } as const satisfies Record<
  PageClass,
  number
>;

export function pageClassOf(pageSize: number): PageClass {
  if (pageSize < rowLimit.small) return "small";
  return pageSize < rowLimit.large ? "large" : "count";
}

/** What is known after a truncated plan. */
export interface Truncation {
  /** Uploads of the list that it found. */
  readonly found: number;
  /** All uploads in the bucket. */
  readonly uploadsInBucket: number;
}

/** The limit of a scan. `offset 0` also keeps the planner from moving outer conditions into it. */
export function limitOf(budget: RowBudget): string {
  return budget === undefined ? "offset 0" : `limit ${budget}`;
}
