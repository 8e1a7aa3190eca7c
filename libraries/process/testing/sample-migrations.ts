import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { pathToFileURL } from "node:url";

/** Writes files into a folder that is there as long as the test runs. */
export async function writeMigrations(
  test: TestContext,
  files: Readonly<Record<string, string>>,
): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), "stowage-migrations-"));
  test.after(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return pathToFileURL(folder);
}
