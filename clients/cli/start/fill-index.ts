/** Chooses the directory whose files fill the index, and imports it. */
import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, relative, resolve, sep } from "node:path";
import { commonEnvironment } from "./environment.ts";
import type { ProgramGroup } from "./program-group.ts";

export interface ChosenDirectory {
  readonly path: string;
  /** Paths under it that are not imported. */
  readonly excluded: readonly string[];
}

const checkout = dirname(dirname(dirname(import.meta.dirname)));

/**
 * The given directory, or this checkout. A data folder inside is excluded, since it changes during
 * the import.
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
    ...(given === undefined ? [".git", "data"] : []),
    ...(isDataInside ? [data] : []),
  ];
  return { path, excluded: [...new Set(excluded)] };
}

async function directoryAt(given: string): Promise<string> {
  // npm changes to the package's folder; INIT_CWD is where it was called.
  const path = resolve(process.env.INIT_CWD ?? ".", given);
  const stats = await stat(path).catch((cause) => {
    throw new Error(`Cannot import ${given}`, { cause });
  });
  if (!stats.isDirectory()) throw new Error(`Cannot import ${given}: got a file, need a directory`);
  return await realpath(path);
}

/**
 * Imports the directory into a bucket of its own, which becomes the organisation's primary one.
 * Files that cannot be read are reported and skipped.
 *
 * @throws Error when nothing could be imported.
 */
export async function fillIndex(
  programs: ProgramGroup,
  { path, excluded }: ChosenDirectory,
  organisationId: string,
): Promise<void> {
  const without = excluded.length === 0 ? "" : `, without ${excluded.join(" and ")}`;
  process.stdout.write(`Importing ${path}${without}\n`);
  const { exitCode, stdout } = await programs.run(
    "import",
    [
      "dir",
      path,
      ...["--bucket", bucketOf(path, organisationId), "--organisation", organisationId],
      "--primary",
      ...excluded.flatMap((each) => ["--exclude", each]),
    ],
    commonEnvironment(process.env),
  );
  process.stdout.write(stdout);
  // The import prints a summary if it imported anything.
  if (exitCode !== 0 && stdout === "") throw new Error(`Cannot import ${path}: see above`);
}

/** The bucket's host name: the same at every start, unique to directory and organisation. */
function bucketOf(path: string, organisationId: string): string {
  const name = basename(path)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-|-$/g, "");
  const digest = createHash("sha256").update(`${organisationId} ${path}`).digest("hex");
  return `${name || "files"}-${digest.slice(0, 8)}.localhost`;
}
