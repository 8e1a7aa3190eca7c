/** Chooses the directory that the index mirrors, and fills the index from it. */
import { createHash } from "node:crypto";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { printable, printText } from "@stowage/process/usage";
import { commonEnvironment } from "./environment.ts";
import type { ProgramGroup } from "./program-group.ts";

export interface ChosenDirectory {
  readonly path: string;
  /** Paths under it that are left out. */
  readonly excluded: readonly string[];
}

const checkout = dirname(dirname(dirname(import.meta.dirname)));

/** What of this checkout is not worth looking at, wherever it is. */
const hidden: readonly string[] = [".git", "node_modules"];

/**
 * The given directory, or this checkout without what npm and git keep there. A data folder inside
 * is excluded, since it changes all the time.
 *
 * @throws Error when it is not a directory.
 */
export async function chooseDirectory(
  given: string | undefined,
  dataDir: string,
): Promise<ChosenDirectory> {
  const path = given === undefined ? checkout : await directoryAt(given);
  const data = relative(path, dataDir);
  const isDataInside = data !== "" && data !== ".." && !data.startsWith(`..${sep}`);
  const folders = isDataInside ? [data] : [];
  if (given !== undefined) return { path, excluded: folders };
  const known = ["data", ...folders];
  const excluded = ["data", ...(await hiddenIn(path, known)), ...folders];
  return { path, excluded: [...new Set(excluded)] };
}

/**
 * The paths of hidden folders, except inside these folders and inside those that cannot be read,
 * which the import reports.
 */
export async function hiddenIn(
  root: string,
  except: readonly string[],
  path = "",
): Promise<string[]> {
  const entries = await readdir(join(root, path), { withFileTypes: true }).catch((error) => {
    if (["EACCES", "EPERM", "ENOENT"].includes(error.code)) return [];
    throw error;
  });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const found = folders.map((name) => {
    const inside = join(path, name);
    if (except.includes(inside)) return [];
    return hidden.includes(name) ? [inside] : hiddenIn(root, except, inside);
  });
  return (await Promise.all(found)).flat().sort();
}

async function directoryAt(given: string): Promise<string> {
  // npm changes to the package's folder; INIT_CWD is where it was called.
  const path = resolve(process.env.INIT_CWD ?? ".", given);
  const stats = await stat(path).catch((cause) => {
    const isAbsent = ["ENOENT", "ENOTDIR"].includes(cause.code);
    const reason = isAbsent ? `: there is no directory ${path}` : "";
    throw new Error(`Cannot index ${given}${reason}`, isAbsent ? {} : { cause });
  });
  if (!stats.isDirectory()) throw new Error(`Cannot index ${given}: got a file, need a directory`);
  return await realpath(path);
}

/** How often the directory is looked through for changes that watching has missed. */
const interval = "30s";

/**
 * Makes a bucket of its own mirror the directory, as the organisation's primary one, and brings it
 * up to date. `stowage serve sync` keeps it so. Files that cannot be read are reported and skipped.
 *
 * @throws Error when the source could not be added.
 */
export async function fillIndex(
  programs: ProgramGroup,
  { path, excluded }: ChosenDirectory,
  organisationId: string,
): Promise<void> {
  const named = new Set(
    excluded.map((each) => (hidden.includes(basename(each)) ? basename(each) : each)),
  );
  const names = new Intl.ListFormat("en-GB").format(named);
  const without = excluded.length === 0 ? "" : `, without ${names}`;
  printText(`${printable(`Indexing ${path}${without}`)}\n`);
  const name = nameOf(path, organisationId);
  const { exitCode, stdout } = await programs.run(
    "sources",
    [
      ...["add", "dir", path, "--name", name, "--every", interval, "--watch", "--sync"],
      ...["--bucket", `${name}.localhost`, "--organisation", organisationId, "--primary"],
      ...excluded.flatMap((each) => ["--exclude", each]),
    ],
    commonEnvironment(process.env),
  );
  process.stdout.write(stdout.replace(/^added .*\n/, ""));
  // A run that stops says why; the index stays as it is.
  if (exitCode !== 0 && stdout === "") throw new Error(`Cannot index ${path}: see above`);
}

/** The name of source and bucket: the same at every start, unique to directory and organisation. */
function nameOf(path: string, organisationId: string): string {
  const name = basename(path)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-|-$/g, "");
  const digest = createHash("sha256").update(`${organisationId} ${path}`).digest("hex");
  return `${name || "files"}-${digest.slice(0, 8)}`;
}
