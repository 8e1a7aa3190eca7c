/** From TypeScript to what Node 22 runs: JavaScript, and types beside it. */
import { execFile } from "node:child_process";
import { glob, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const modules = join(import.meta.dirname, "../../../node_modules");

/**
 * Compiles what the `tsconfig.json` in a folder names. Throws an Error with all that the compiler
 * says, if it finds anything wrong.
 */
export async function compile(project: string, output: string): Promise<void> {
  const types = join(modules, ".node-22-types");
  await mkdir(types, { recursive: true });
  await symlink("../node-22-types", join(types, "node")).catch((error) => {
    if (error.code !== "EEXIST") throw error;
  });
  try {
    await promisify(execFile)(join(modules, ".bin", "tsc"), ["-p", project, "--outDir", output]);
  } catch (error) {
    const { stdout, message } = error as Error & { readonly stdout?: string };
    throw new Error(`Cannot compile:\n${stdout || message}`, { cause: error });
  }
  // The compiler leaves `./x.ts` in types as it is, which older compilers do not follow.
  for await (const name of glob("**/*.d.ts", { cwd: output })) {
    const file = join(output, name);
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace(/(?<=\b(?:from |import\()"\.[^"]*)\.ts(?=")/g, ".js"));
  }
}
