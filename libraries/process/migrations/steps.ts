import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { MigrationError } from "./errors.ts";

/** One numbered change of a schema. */
export interface Step {
  /** 1 for the first; no number is left out. */
  readonly number: number;
  /** File name without ending: `0001-create-uploads`. */
  readonly name: string;
  readonly sql: string;
}

/** What the steps add up to, kept beside them; not a step itself. */
export const pictureName = "current.sql";

/**
 * The steps in a folder, in order. Every `.sql` file but `current.sql` is one.
 *
 * @throws {MigrationError} for a name that is not `NNNN-what.sql`, a number twice or left out.
 */
export async function readSteps(directory: URL): Promise<readonly Step[]> {
  const folder = fileURLToPath(directory);
  const names = (await readdir(folder)).filter((name) => /\.sql$/i.test(name)).sort();
  const steps: Step[] = [];

  for (const file of names.filter((name) => name !== pictureName)) {
    const number = Number(/^(\d{4})-[a-z0-9]+(?:-[a-z0-9]+)*\.sql$/.exec(file)?.[1]);
    if (Number.isNaN(number)) {
      throw new MigrationError(`Cannot read step "${file}": need a name like 0001-what.sql`);
    }
    if (number !== steps.length + 1) {
      const wanted = String(steps.length + 1).padStart(4, "0");
      throw new MigrationError(`Cannot read step "${file}": need number ${wanted} next`);
    }
    const sql = await readFile(new URL(file, withSlash(directory)), "utf8");
    steps.push({ number, name: basename(file, ".sql"), sql });
  }

  return steps;
}

export function withSlash(directory: URL): URL {
  return directory.href.endsWith("/") ? directory : new URL(`${directory.href}/`);
}
