import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** One text file of the repository. */
export interface RepositoryFile {
  /** From the root, with `/`: `api/json/read-json.ts`. */
  readonly path: string;
  readonly text: string;
}

/** The folder of the checkout. */
export const root = dirname(dirname(import.meta.dirname));

/** Every text file that git tracks, and every new one that it does not ignore. */
export function repositoryFiles(): readonly RepositoryFile[] {
  const options = { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 } as const;
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  return execFileSync("git", list, options)
    .split("\0")
    .filter((path) => path !== "" && existsSync(join(root, path)))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
    .filter(({ text }) => !text.includes("\0"));
}

/** Whether people write the file. Tools write the others, in a style of their own. */
export function isHandwritten({ path }: RepositoryFile): boolean {
  return ![
    /^api\/(?:generated|released)\//,
    /^api\/openapi\.json$/,
    /^services\/[^/]+\/schema\/current\.sql$/,
    /^services\/uploads\/lists\/plans\/statements\.sql$/,
    /^(?:package-lock\.json|LICENSE)$/,
  ].some((form) => form.test(path));
}

export function isCode({ path }: RepositoryFile): boolean {
  return /\.(?:ts|tsx|js)$/.test(path);
}

/** Whether the code is for development only: tests, test support, checks and build tools. */
export function isDevelopmentCode(path: string): boolean {
  return [
    /\.test\.ts$/,
    /(?:^|\/)testing\//,
    /^(?:checks|api\/openapi|libraries\/access-token\/build)\//,
  ].some((form) => form.test(path));
}
