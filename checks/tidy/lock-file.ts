import type { RepositoryFile } from "./repository.ts";

type Names = Readonly<Record<string, string>>;

interface LockedPackage {
  readonly dependencies?: Names;
  readonly optionalDependencies?: Names;
}

/**
 * One line for every dependency that package-lock.json has no package for. npm leaves out an
 * optional one that the registry lacks, such as a tool's program for another platform, and then
 * `npm ci` refuses the lock.
 */
export function lockFaults(files: readonly RepositoryFile[]): readonly string[] {
  const lock = files.find(({ path }) => path === "package-lock.json");
  if (lock === undefined) return ["package-lock.json: need one"];
  const packages: Record<string, LockedPackage> = JSON.parse(lock.text).packages;
  const names = new Set(
    Object.keys(packages).map((path) => path.slice(path.lastIndexOf("node_modules/") + 13)),
  );
  return Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !names.has(name))
      .map((name) => `package-lock.json: ${path || "the root"} needs ${name}, which is not in it`),
  );
}
