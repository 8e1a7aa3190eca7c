/** `npm run page-pictures -- FOLDER`: pictures for the documentation, in docs/page by default. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "@stowage/process";
import { startTestServer } from "@stowage/process/testing";
import type { Page } from "playwright-core";
import { root } from "../../testing/programs.ts";
import { listed, spaceChart, untilLoaded, uploadPanel } from "../testing/page-parts.ts";
import { openVisitor, signIn } from "../testing/visitor.ts";
import { startWorld, type World } from "../testing/world.ts";
import { drawFjord } from "./fjord.ts";
import { makeHouseholdDirectory, photo } from "./household-directory.ts";

const wide = { viewport: { width: 1280, height: 720 }, colorScheme: "light" } as const;
const phone = { viewport: { width: 390, height: 780 }, colorScheme: "dark" } as const;

const pictures = [
  { name: "panel", screen: wide, show: showPhoto },
  { name: "phone", screen: phone, show: showPhoto },
  {
    name: "search",
    screen: wide,
    async show(page: Page, url: string) {
      await page.goto(`${url}/?query=tax+2025`);
      await listed(page, "Invoice 2025-05 heat pump.pdf").waitFor();
    },
  },
  {
    name: "space",
    screen: wide,
    async show(page: Page, url: string) {
      await page.goto(`${url}/?view=space`);
      await spaceChart(page)
        .getByRole("link", { name: /^Films/ })
        .waitFor();
    },
  },
];

async function showPhoto(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/?${new URLSearchParams({ folder: photo.folder })}`);
  await listed(page, photo.filename).click();
  await uploadPanel(page).getByRole("img", { name: photo.filename }).waitFor();
}

async function takePictures(world: World, folder: string): Promise<void> {
  for (const { name, screen, show } of pictures) {
    await using visitor = await openVisitor(world, screen);
    await signIn(visitor, world);
    await show(visitor.page, world.url);
    await untilLoaded(visitor.page);
    await visitor.page.screenshot({ path: join(folder, `${name}.png`) });
  }
}

await runProgram("page-pictures", async () => {
  const [folder = join(root, "docs", "page")] = process.argv.slice(2);
  await mkdir(folder, { recursive: true });
  const server = await startTestServer();
  try {
    process.env.TEST_DATABASE_URL = server.databaseUrl;
    await using world = await startWorld({}, async (directory, browser) => {
      await makeHouseholdDirectory(directory, await drawFjord(browser));
      return new Map();
    });
    await takePictures(world, folder);
  } finally {
    await server.stop();
  }
  process.stdout.write(`page-pictures: wrote ${pictures.length} pictures to ${folder}\n`);
});
