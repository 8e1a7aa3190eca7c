/**
 * Builds what goes to npm: JavaScript for Node 22 and later, types, and a package.json of its own.
 * Inside the repository nothing needs it; there the TypeScript runs as it is.
 */
import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { compile } from "./compile.ts";
import { entryFiles, type Manifest, publishedManifest } from "./published-manifest.ts";

const source = dirname(import.meta.dirname);
const repository = dirname(dirname(source));

/** Makes the whole package in a folder that does not exist yet or is empty. */
export async function buildPackage(folder: string): Promise<void> {
  const output = join(folder, "lib");
  await mkdir(folder, { recursive: true });
  const [found] = await readdir(folder);
  if (found !== undefined) {
    throw new Error(`Cannot build in ${folder}: it holds ${found}, need an empty folder`);
  }
  const manifest: Manifest = JSON.parse(await readFile(join(source, "package.json"), "utf8"));
  const published = JSON.stringify(publishedManifest(manifest), undefined, 2);
  const entries = Object.values(entryFiles(manifest)).map((file) => file.replace("./src/", ""));
  await mkdir(output);
  await compile({ sources: join(source, "src"), entries, output });
  await writeFile(join(folder, "package.json"), `${published}\n`);
  await copyFile(join(source, "README.md"), join(folder, "README.md"));
  await copyFile(join(repository, "LICENSE"), join(folder, "LICENSE"));
}
