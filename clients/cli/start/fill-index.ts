/** Chooses the directory that the index mirrors, and fills the index from it. */
import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, relative, resolve, sep } from "node:path";
import { commonEnvironment } from "./environment.ts";
import type { ProgramGroup } from "./program-group.ts";

export interface ChosenDirectory {
  readonly path: string;
  /** Paths under it that are left out. */
  readonly excluded: readonly string[];
}

const checkout = dirname(dirname(dirname(import.meta.dirname)));

/**
 * The given directory, or this checkout. A data folder inside is excluded, since it changes all the
 * time.
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
  const excluded = [
    ...(given === undefined ? [".git", "data", "node_modules"] : []),
    ...(isDataInside ? [data] : []),
  ];
  return { path, excluded: [...new Set(excluded)] };
}

async function directoryAt(given: string): Promise<string> {
  // npm changes to the package's folder; INIT_CWD is where it was called.
  const path = resolve(process.env.INIT_CWD ?? ".", given);
  const stats = await stat(path).catch((cause) => {
    throw new Error(`Cannot index ${given}`, { cause });
  });
  if (!stats.isDirectory()) throw new Error(`Cannot index ${given}: got a file, need a directory`);
  return await realpath(path);
}

/** How often the directory is looked through for changes. */
const interval = "10s";

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
  const names = new Intl.ListFormat("en-GB").format(excluded);
  const without = excluded.length === 0 ? "" : `, without ${names}`;
  process.stdout.write(`Indexing ${path}${without}\n`);
  const name = nameOf(path, organisationId);
  const { exitCode, stdout } = await programs.run(
    "sources",
    [
      ...["add", "dir", path, "--name", name, "--every", interval, "--sync"],
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
