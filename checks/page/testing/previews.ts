/** Each kind of preview, and how a test sees that it works. */
import { readFile } from "node:fs/promises";
import { patienceMs, until } from "@stowage/process/testing";
import type { Locator, Page } from "playwright-core";
import { listed, uploadPanel } from "./page-parts.ts";

interface PreviewCase {
  readonly what: string;
  readonly folder: string;
  readonly name: string;
  /** Waits until the panel shows the content. */
  readonly isShown: (panel: Locator) => Promise<void>;
}

const isDrawn = `element.width > 100 && new Set(element.getContext("2d")
  .getImageData(0, 0, element.width, element.height / 4).data).size > 2`;

export const previews: readonly PreviewCase[] = [
  {
    what: "a picture",
    folder: "photos",
    name: "harbour at dawn.png",
    isShown: (panel) =>
      becomes(
        panel.getByRole("img", { name: "harbour at dawn.png" }),
        "element.naturalWidth === 640 && element.naturalHeight === 400",
      ),
  },
  {
    what: "a film",
    folder: "film",
    name: "clip.webm",
    isShown: (panel) => becomes(panel.locator("video"), "element.videoWidth === 64"),
  },
  {
    what: "a sound",
    folder: "sound",
    name: "tone.wav",
    isShown: (panel) => becomes(panel.locator("audio"), "Math.round(element.duration) === 2"),
  },
  {
    what: "a document",
    folder: "documents",
    name: "annual report.pdf",
    async isShown(panel) {
      await becomes(panel.getByRole("img", { name: "Page 1 of 1" }), isDrawn);
      // Its text can be read aloud.
      await panel.getByText("All is well.").waitFor({ state: "attached" });
    },
  },
  {
    what: "a text",
    folder: "documents",
    name: "minutes of June.txt",
    isShown: (panel) =>
      becomes(
        panel.getByRole("textbox", { name: "Text of minutes of June.txt" }),
        'element.value === "Present: Ada, Grace.\\nÜbrig: nichts.\\n"',
      ),
  },
];

/** Opens the panel of an upload. `url` is the page's address, with a bucket or without. */
export async function openUpload(
  page: Page,
  url: string,
  { folder, name }: { readonly folder: string; readonly name: string },
): Promise<void> {
  const view = new URL(url);
  view.searchParams.set("folder", `/${folder}`);
  await page.goto(view.href);
  await listed(page, name).click();
  await uploadPanel(page).getByRole("heading", { name }).waitFor();
}

interface Downloaded {
  readonly name: string;
  readonly bytes: Buffer;
  /** Where the bytes came from. */
  readonly origin: string;
}

/** Downloads what the panel shows. */
export async function download(page: Page): Promise<Downloaded> {
  const [begun] = await Promise.all([
    page.waitForEvent("download"),
    uploadPanel(page).getByRole("link", { name: "Download" }).click(),
  ]);
  const bytes = await readFile(await begun.path());
  return { name: begun.suggestedFilename(), bytes, origin: new URL(begun.url()).origin };
}

/** Waits until an expression about the element is true. */
async function becomes(element: Locator, expression: string): Promise<void> {
  await element.waitFor();
  const read = new Function("element", `return ${expression}`) as (element: unknown) => boolean;
  await until(expression, () => element.evaluate(read), patienceMs);
}
