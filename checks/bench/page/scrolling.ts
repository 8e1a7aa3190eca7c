/** Scrolls as a person with a wheel does, and watches for tasks that would let frames wait. */
import type { Locator, Page } from "playwright-core";
import { untilLoaded } from "../../page/testing/page-parts.ts";

/** How many turns of the wheel, and how far each goes. */
const turns = 60;
const turnPx = 1200;

/** Counts the tasks of over 50 ms of the page, and the longest. */
export async function scrollThrough(page: Page, list: Locator): Promise<[number, number]> {
  await untilLoaded(page);
  await page.evaluate(watchTasks);
  await list.hover();
  for (let turn = 0; turn < turns; turn++) {
    await page.mouse.wheel(0, turnPx);
    await page.evaluate("new Promise(requestAnimationFrame)");
  }
  const tasksMs = (await page.evaluate("endTasks()")) as number[];
  return [tasksMs.length, Math.max(0, ...tasksMs)];
}

/** Sets `endTasks`: gives the durations of the tasks of over 50 ms since. */
const watchTasks = `{
  const tasks = [];
  const observer = new PerformanceObserver((list) => {
    tasks.push(...list.getEntries().map(({ duration }) => duration));
  });
  observer.observe({ type: "longtask" });
  endTasks = () => {
    tasks.push(...observer.takeRecords().map(({ duration }) => duration));
    observer.disconnect();
    return tasks;
  };
}`;
