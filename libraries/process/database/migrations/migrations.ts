/**
 * The migrations of a schema: numbered SQL files in one folder, beside a snapshot of the result.
 */
import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

export interface Migration {
  /** 1 for the first. There are no gaps. */
  readonly number: number;
  /** The file name without its ending: `0001-create-uploads`. */
  readonly name: string;
  readonly sql: string;
}

/** The schema snapshot, in the same folder: the schema after all migrations. */
export const snapshotName = "current.sql";

/** The migrations are invalid, or the database does not fit them. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/**
 * Reads the migrations of a folder, in order: every `.sql` file but `current.sql`.
 *
 * @throws {MigrationError} for a name other than `NNNN-what.sql`, a repeated number, or a gap.
 */
export async function readMigrations(directory: URL): Promise<readonly Migration[]> {
  const folder = fileURLToPath(directory);
  const names = (await readdir(folder)).filter((name) => /\.sql$/i.test(name)).sort();
  const migrations: Migration[] = [];

  for (const file of names.filter((name) => name !== snapshotName)) {
    const number = Number(/^(\d{4})-[a-z0-9]+(?:-[a-z0-9]+)*\.sql$/.exec(file)?.[1]);
    if (Number.isNaN(number)) {
      throw new MigrationError(`Cannot read migration "${file}": need a name like 0001-what.sql`);
    }
    if (number !== migrations.length + 1) {
      const wanted = String(migrations.length + 1).padStart(4, "0");
      throw new MigrationError(`Cannot read migration "${file}": need number ${wanted} next`);
    }
    const sql = await readFile(new URL(file, withSlash(directory)), "utf8");
    migrations.push({ number, name: basename(file, ".sql"), sql });
  }

  return migrations;
}

export function withSlash(directory: URL): URL {
  return directory.href.endsWith("/") ? directory : new URL(`${directory.href}/`);
}
