import { lintSuppressions } from "./exceptions.ts";
import type { RepositoryFile } from "./repository.ts";

/**
 * Files that switch the linter off without being listed in exceptions.ts, and listed files that no
 * longer do.
 */
export function suppressionProblems(files: readonly RepositoryFile[]): readonly string[] {
  const suppressing = files
    .filter(({ text, path }) => text.includes("biome-ignore") && !path.startsWith("checks/tidy/"))
    .map(({ path }) => path);
  return [
    ...suppressing.filter((path) => !Object.hasOwn(lintSuppressions, path)),
    ...Object.keys(lintSuppressions)
      .filter((path) => !suppressing.includes(path))
      .map((path) => `${path}: remove it from checks/tidy/exceptions.ts, it has no problem now`),
  ];
}
