/** From TypeScript to what Node 22 runs: JavaScript, and types beside it. */
import { execFile } from "node:child_process";
import { glob, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const repository = dirname(dirname(dirname(import.meta.dirname)));
const modules = join(repository, "node_modules");

interface Compilation {
  readonly sources: string;
  /** Files in it. They are compiled, with whatever they import, and nothing else. */
  readonly entries: readonly string[];
  /** The folder for what is built. */
  readonly output: string;
}

/** Throws an Error with all that the compiler says, if it finds anything wrong. */
export async function compile({ sources, entries, output }: Compilation): Promise<void> {
  const project = await mkdtemp(join(tmpdir(), "stowage-compile-"));
  try {
    await prepareTypes(project);
    const configuration = {
      extends: join(repository, "tsconfig.json"),
      compilerOptions: {
        ...forNode22,
        noEmit: false,
        noEmitOnError: true,
        declaration: true,
        rewriteRelativeImportExtensions: true,
        rootDir: sources,
        outDir: output,
      },
      files: entries.map((entry) => join(sources, entry)),
      include: [],
    };
    await writeFile(join(project, "tsconfig.json"), JSON.stringify(configuration));
    await runCompiler(project);
  } finally {
    await rm(project, { recursive: true });
  }
  await nameBuiltFiles(output);
}

/** Code that needs a newer Node does not compile with this. */
const forNode22 = {
  target: "es2024",
  // Of ES2025, Node 22 has the methods of sets.
  lib: ["es2024", "es2025.collection"],
  typeRoots: ["types"],
};

/** Makes the types of Node those of Node 22, in place of the repository's own. */
async function prepareTypes(project: string): Promise<void> {
  await mkdir(join(project, "types"));
  await symlink(join(modules, "node-22-types"), join(project, "types", "node"));
}

async function runCompiler(project: string): Promise<void> {
  try {
    await promisify(execFile)(join(modules, ".bin", "tsc"), ["-p", project]);
  } catch (error) {
    const { stdout, message } = error as Error & { readonly stdout?: string };
    throw new Error(`Cannot compile:\n${stdout || message}`, { cause: error });
  }
}

/** The compiler leaves `./x.ts` in types as it is, which older compilers do not follow. */
async function nameBuiltFiles(folder: string): Promise<void> {
  for await (const name of glob("**/*.d.ts", { cwd: folder })) {
    const file = join(folder, name);
    const types = await readFile(file, "utf8");
    await writeFile(file, types.replace(/(?<=\b(?:from |import\()"\.[^"]*)\.ts(?=")/g, ".js"));
  }
}
