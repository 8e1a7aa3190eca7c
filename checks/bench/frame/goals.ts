/** What was to be reached, what was, and whether that is enough. */
import { markdownTable } from "./markdown-table.ts";

export interface Goal {
  /** What is measured, and the bound: `p99 ≤ 25 ms`. */
  readonly title: string;
  /** What it was, in words where figures do not say it. */
  readonly outcome: string;
  readonly isMet: boolean;
}

export function goalsTable(goals: readonly Goal[]): string {
  const table = markdownTable(goals, [
    { title: "goal", align: "left", cell: ({ title }) => title },
    { title: "", align: "left", cell: ({ isMet }) => (isMet ? "pass" : "MISS") },
    { title: "outcome", align: "left", cell: ({ outcome }) => outcome },
  ]);
  return `**Goals**\n\n${table}`;
}
