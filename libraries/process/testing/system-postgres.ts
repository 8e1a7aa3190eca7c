import { readdir, realpath, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { type Binaries, tryBinaries } from "../database/embedded/binaries.ts";
import { chooseServerUser } from "../database/embedded/server-user.ts";

const majorMin = 15;

/** The newest PostgreSQL installed on this system that we support, 15 or later; else undefined. */
export async function findSystemPostgres(
  searchPath = process.env.PATH ?? "",
): Promise<Binaries | undefined> {
  const user = await chooseServerUser("/");
  const found: Binaries[] = [];
  for (const bin of await candidateFolders(searchPath)) {
    const binaries = await tryBinaries(bin, user);
    if (!(binaries instanceof Error) && Number(binaries.major) >= majorMin) found.push(binaries);
  }
  return found.sort((a, b) => Number(b.major) - Number(a.major))[0];
}

/** The folders in which Debian, Red Hat and manual installations put the programs. */
async function candidateFolders(searchPath: string): Promise<readonly string[]> {
  const folders = new Set<string>();
  for (const parent of ["/usr/lib/postgresql", "/usr/local/lib/postgresql"]) {
    const versions = await readdir(parent).catch(() => []);
    for (const version of versions) folders.add(join(parent, version, "bin"));
  }
  for (const version of await readdir("/usr").catch(() => [])) {
    if (version.startsWith("pgsql-")) folders.add(join("/usr", version, "bin"));
  }
  for (const folder of searchPath.split(delimiter).filter((part) => part.startsWith("/"))) {
    // The programs look for each other beside the real file, so links must be resolved.
    const program = await realpath(join(folder, "initdb")).catch(() => undefined);
    if (program !== undefined) folders.add(join(program, ".."));
  }
  const complete = [];
  for (const folder of folders) if (await hasPrograms(folder)) complete.push(folder);
  return complete;
}

async function hasPrograms(folder: string): Promise<boolean> {
  for (const program of ["initdb", "pg_ctl", "postgres"]) {
    if (!(await stat(join(folder, program)).catch(() => undefined))?.isFile()) return false;
  }
  return true;
}
