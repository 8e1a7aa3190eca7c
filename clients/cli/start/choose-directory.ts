/** The directory whose files fill the index. */
import { realpath, stat } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";

export interface ChosenDirectory {
  readonly path: string;
  /** Paths under it that are left out. */
  readonly excluded: readonly string[];
}

const checkout = dirname(dirname(dirname(import.meta.dirname)));

/**
 * The given directory, or this checkout. A data folder inside is left out, since it changes while
 * it is read.
 *
 * @throws Error when it is no directory.
 */
export async function chooseDirectory(
  given: string | undefined,
  dataDir: string,
): Promise<ChosenDirectory> {
  const path = given === undefined ? checkout : await directoryAt(given);
  const data = relative(path, dataDir);
  const isDataInside = data !== "" && data !== ".." && !data.startsWith(`..${sep}`);
  const excluded = [
    ...(given === undefined ? [".git", "data"] : []),
    ...(isDataInside ? [data] : []),
  ];
  return { path, excluded: [...new Set(excluded)] };
}

async function directoryAt(given: string): Promise<string> {
  // npm changes to the package's folder, and says where it was called.
  const path = resolve(process.env.INIT_CWD ?? ".", given);
  const stats = await stat(path).catch((cause) => {
    throw new Error(`Cannot import ${given}`, { cause });
  });
  if (!stats.isDirectory()) throw new Error(`Cannot import ${given}: got a file, need a directory`);
  return await realpath(path);
}
