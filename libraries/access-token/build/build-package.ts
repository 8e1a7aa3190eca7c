/**
 * Builds what goes to npm: JavaScript for Node 22 and later, types, and a package.json of its own.
 * Inside the repository nothing needs it; there the TypeScript runs as it is. `npm run build` runs
 * this file, which makes `dist/` anew, or the folder that it is given.
 */
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { compile } from "./compile.ts";

const source = join(import.meta.dirname, "..");

/** Makes the whole package in a folder that does not exist yet. */
export async function buildPackage(folder: string): Promise<void> {
  await mkdir(folder);
  await compile(import.meta.dirname, join(folder, "lib"));
  const manifest = JSON.parse(await readFile(join(source, "package.json"), "utf8"));
  const published = JSON.stringify(publishedManifest(manifest), undefined, 2);
  await writeFile(join(folder, "package.json"), `${published}\n`);
  await copyFile(join(source, "README.md"), join(folder, "README.md"));
  await copyFile(join(source, "../../LICENSE"), join(folder, "LICENSE"));
}

interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
}

/** The same package, with JavaScript and types in the place of TypeScript. */
function publishedManifest({ exports, ...source }: Manifest): object {
  const ofRepository = { private: undefined, scripts: undefined, devDependencies: undefined };
  const entries = Object.entries(exports).map(([name, file]) => {
    const built = file.replace("./src/", "./lib/").replace(/\.ts$/, "");
    return [name, { types: `${built}.d.ts`, default: `${built}.js` }];
  });
  return {
    ...source,
    ...ofRepository,
    engines: { node: ">=22" },
    // People outside the organisation of a scoped name get it too.
    publishConfig: { access: "public" },
    exports: Object.fromEntries(entries),
  };
}

if (import.meta.main) {
  const [given] = process.argv.slice(2);
  const dist = join(source, "dist");
  if (given === undefined) await rm(dist, { recursive: true, force: true });
  await buildPackage(given ?? dist);
}
