/**
 * `npm run page-pictures -- FOLDER`: pictures of the main views, light and dark, for wide and
 * narrow screens. Without a folder, those of the documentation are taken again.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "@stowage/process";
import { startTestServer } from "@stowage/process/testing";
import { root } from "../../testing/programs.ts";
import { mainViews } from "../testing/main-views.ts";
import { untilLoaded } from "../testing/page-parts.ts";
import { openVisitor, signIn } from "../testing/visitor.ts";
import { startWorld, type World } from "../testing/world.ts";

const screens = {
  wide: { width: 1440, height: 900 },
  narrow: { width: 390, height: 844 },
} as const;

async function takePictures(world: World, folder: string): Promise<void> {
  for (const [screen, viewport] of Object.entries(screens)) {
    for (const colorScheme of ["light", "dark"] as const) {
      await using visitor = await openVisitor(world, { viewport, colorScheme });
      const { page } = visitor;
      await signIn(visitor, world);
      for (const { name, show } of mainViews) {
        await show(page, world.url);
        await untilLoaded(page);
        await page.screenshot({ path: join(folder, `${name}-${screen}-${colorScheme}.png`) });
      }
    }
  }
}

await runProgram("page-pictures", async () => {
  const [folder = join(root, "docs", "page")] = process.argv.slice(2);
  await mkdir(folder, { recursive: true });
  const server = await startTestServer();
  try {
    process.env.TEST_DATABASE_URL = server.databaseUrl;
    await using world = await startWorld();
    await takePictures(world, folder);
  } finally {
    await server.stop();
  }
  process.stdout.write(`page-pictures: wrote ${mainViews.length * 4} pictures to ${folder}\n`);
});
