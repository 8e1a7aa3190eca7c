import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { ChosenDirectory } from "./choose-directory.ts";
import { commonEnvironment } from "./environment.ts";
import type { ProgramGroup } from "./program-group.ts";

/**
 * Imports the directory into a bucket of its own, which becomes the organisation's primary one.
 * What cannot be read is told and left out.
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
  // It says what it did whenever it did anything.
  if (exitCode !== 0 && stdout === "") throw new Error(`Cannot import ${path}: see above`);
}

/** Always the same for a directory; no other directory's and no other organisation's. */
function bucketOf(path: string, organisationId: string): string {
  const name = basename(path)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-|-$/g, "");
  const digest = createHash("sha256").update(`${organisationId} ${path}`).digest("hex");
  return `${name || "files"}-${digest.slice(0, 8)}.localhost`;
}
