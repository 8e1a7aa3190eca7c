/** What a person at the page waits for, measured by the browser's own clock. */
import { searchField, untilLoaded, uploadGrid } from "../page/testing/page-parts.ts";
import type { PagePrograms } from "../page/testing/page-programs.ts";
import type { Visitor } from "../page/testing/visitor.ts";
import { type Probe, percentileOf } from "./probes.ts";

export interface PageContext {
  readonly programs: PagePrograms;
  /** Is signed in. */
  readonly visitor: Visitor;
}

const usableMsMax = 1000;
const paintedMsMax = 100;

export function pageProbes(context: PageContext): readonly Probe[] {
  return [firstLoad(context), search(context), scrolling(context)];
}

/** In a new tab with an empty cache: from the opened link to the first row of the list. */
function firstLoad({ programs: { url }, visitor }: PageContext): Probe {
  return {
    figures: [
      {
        title: "from the link to a usable list",
        unit: "ms",
        goal: { valueMax: usableMsMax },
      },
    ],
    async subject() {
      const page = await visitor.openTab();
      const session = await visitor.context.newCDPSession(page);
      await session.send("Network.clearBrowserCache");
      await page.goto(url);
      await uploadGrid(page).locator("tbody [data-action=open]").first().waitFor();
      const tookMs = Number(await page.evaluate(paintedSince("performance.timeOrigin")));
      await page.close();
      return [tookMs];
    },
  };
}

/** Letters that begin names of the data set, and what people go on to type. */
const searches = ["rep", "IMG_10", "budget", "scan-00", "plan", "2019", ".pdf", "track", "a", "zz"];

/** Longer than the page waits between two searches: it then asks for the next key at once. */
const typingPauseMs = 300;

/** From the key that makes the search to the painted answer. */
function search({ programs: { url }, visitor: { page } }: PageContext): Probe {
  const goal = { valueMax: paintedMsMax };
  return {
    figures: [
      { title: "from a key in the search field to the painted answer: p50", unit: "ms", goal },
      { title: "from a key in the search field to the painted answer: p95", unit: "ms", goal },
    ],
    async subject() {
      await page.goto(url);
      await uploadGrid(page).waitFor();
      const tookMs: number[] = [];
      for (const text of searches) {
        const [start, last] = [text.slice(0, -1), text.slice(-1)];
        await searchField(page).fill(start);
        await page.waitForURL((url) => (url.searchParams.get("query") ?? "") === start);
        await page.locator("main .list:not([data-former])").waitFor();
        await page.waitForTimeout(typingPauseMs);
        await page.evaluate(watchAnswer);
        await searchField(page).press(last);
        tookMs.push(Number(await page.evaluate("answerPainted")));
      }
      return [percentileOf(tookMs, 50), percentileOf(tookMs, 95)];
    },
  };
}

/** How many turns of the wheel, and how far each goes. */
const [turns, turnPx] = [60, 1200];

/** As a person with a wheel scrolls. Tasks of over 50 ms would let frames wait. */
function scrolling({ programs, visitor: { page } }: PageContext): Probe {
  return {
    figures: [
      { title: "a list of all uploads: long tasks", unit: "count", goal: { none: true } },
      { title: "a list of all uploads: longest task", unit: "ms", goal: { valueMax: 50 } },
    ],
    async subject() {
      await page.goto(`${programs.url}/?under=1`);
      await uploadGrid(page).locator("tbody [data-action=open]").first().waitFor();
      await untilLoaded(page);
      await page.evaluate(watchTasks);
      await uploadGrid(page).hover();
      for (let turn = 0; turn < turns; turn++) {
        await page.mouse.wheel(0, turnPx);
        await page.evaluate("new Promise(requestAnimationFrame)");
      }
      const tasksMs = (await page.evaluate("endTasks()")) as number[];
      return [tasksMs.length, Math.max(0, ...tasksMs)];
    },
  };
}

/** Sets `endTasks`: gives the durations of the tasks of over 50 ms since. */
const watchTasks = `{
  const tasks = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries()));
  observer.observe({ type: "longtask" });
  endTasks = () => {
    tasks.push(...observer.takeRecords());
    observer.disconnect();
    return tasks.map(({ duration }) => duration);
  };
}`;

/** An expression: resolves with the milliseconds since a time, when the next frame is painted. */
function paintedSince(origin: string): string {
  return `new Promise((resolve) => requestAnimationFrame(() => setTimeout(() =>
    resolve(performance.timeOrigin + performance.now() - ${origin}))))`;
}

/**
 * Sets `answerPainted`: resolves with the milliseconds from the next key to the frame that shows
 * the answer to it, rows or that there are none. Rejects if the page does not search at once.
 */
const watchAnswer = `void (answerPainted = new Promise((resolve, reject) => {
  addEventListener("keydown", (key) => {
    const query = location.search;
    addEventListener("input", () => {
      if (location.search === query) reject(new Error("The key was not searched for at once"));
    }, { once: true });
    const list = document.querySelector("main");
    const observer = new MutationObserver(() => {
      const isAnswer = location.search !== query && !list.querySelector("[data-former]");
      if (!isAnswer) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - key.timeStamp)));
    });
    observer.observe(list, { childList: true, subtree: true, attributes: true });
  }, { once: true, capture: true });
}))`;
