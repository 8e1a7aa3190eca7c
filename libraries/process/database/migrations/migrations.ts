/**
 * The migrations of a schema: numbered SQL files in one folder, beside a snapshot of the result.
 */
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Migration {
  /** 1 for the first. */
  readonly number: number;
  /** The file name without its ending: `0001-create-uploads`. */
  readonly name: string;
  readonly sql: string;
}

/** A migration fails, or the database does not fit the migrations. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/** Reads the migrations of a folder, in the order of their names: the files `NNNN-what.sql`. */
export async function readMigrations(directory: URL): Promise<readonly Migration[]> {
  const folder = fileURLToPath(directory);
  const names = (await readdir(folder)).filter((name) => /^\d{4}-.+\.sql$/.test(name)).sort();
  return await Promise.all(
    names.map(async (file, index) => ({
      number: index + 1,
      name: basename(file, ".sql"),
      sql: await readFile(join(folder, file), "utf8"),
    })),
  );
}
