/** Looks for what keeps people with disabilities out: with axe, and whether the page reflows. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** One line for each serious or critical finding, and one if the page is wider than the screen. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const { violations, passes } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  if (passes.length === 0) throw new Error("axe has checked nothing");
  const found = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html}: ${failureSummary}`),
    );
  const [needed = 0, given = 0] = (await page.evaluate(widths)) as number[];
  return needed > given ? [...found, `it is ${needed} wide on a screen of ${given}`] : found;
}

const widths = "[document.documentElement.scrollWidth, innerWidth]";
