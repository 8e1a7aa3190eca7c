/** Looks for what keeps people with disabilities out, with axe. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** One line for each serious or critical finding. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const { violations, passes } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  if (passes.length === 0) throw new Error("axe has checked nothing");
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html}: ${failureSummary}`),
    );
}
