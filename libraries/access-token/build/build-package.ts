/**
 * Builds what goes to npm: JavaScript for Node 22 and later, types, and a package.json of its own.
 * Inside the repository nothing needs it; there the TypeScript runs as it is.
 */
import { execFile } from "node:child_process";
import { copyFile, glob, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { entryFiles, type Manifest, publishedManifest } from "./published-manifest.ts";

const source = dirname(import.meta.dirname);
const repository = dirname(dirname(source));

/** Makes the whole package in a folder that does not exist yet or is empty. */
export async function buildPackage(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const [found] = await readdir(folder);
  if (found !== undefined) {
    throw new Error(`Cannot build in ${folder}: it holds ${found}, need an empty folder`);
  }
  const manifest: Manifest = JSON.parse(await readFile(join(source, "package.json"), "utf8"));
  const published = JSON.stringify(publishedManifest(manifest), undefined, 2);
  await compile(Object.values(entryFiles(manifest)), folder);
  await nameBuiltFiles(folder);
  await writeFile(join(folder, "package.json"), `${published}\n`);
  await copyFile(join(source, "README.md"), join(folder, "README.md"));
  await copyFile(join(repository, "LICENSE"), join(folder, "LICENSE"));
}

/** Only what the entry points need is built, so that no test gets in. */
async function compile(entries: readonly string[], folder: string): Promise<void> {
  const project = join(folder, "tsconfig.json");
  const configuration = {
    extends: join(repository, "tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      noEmitOnError: true,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      // What Node 22 knows, so that newer things do not compile: ES2024 and the methods of sets.
      target: "es2024",
      lib: ["es2024", "es2025.collection"],
      typeRoots: [join(repository, "node_modules", "@types")],
      rootDir: join(source, "src"),
      outDir: join(folder, "lib"),
    },
    files: entries.map((entry) => join(source, entry)),
    include: [],
  };
  await writeFile(project, JSON.stringify(configuration));
  await promisify(execFile)(join(repository, "node_modules", ".bin", "tsc"), ["-p", project]).catch(
    (error: Error & { stdout?: string }) => {
      throw new Error(`Cannot compile the package:\n${error.stdout || error.message}`);
    },
  );
  await rm(project);
}

/** The compiler leaves `./x.ts` in types as it is, which older compilers do not follow. */
async function nameBuiltFiles(folder: string): Promise<void> {
  for await (const name of glob("**/*.d.ts", { cwd: folder })) {
    const file = join(folder, name);
    const types = await readFile(file, "utf8");
    await writeFile(file, types.replace(/(?<=\b(?:from |import\()"\.[^"]*)\.ts(?=")/g, ".js"));
  }
}
