import type { RepositoryFile } from "./repository.ts";

type Names = Readonly<Record<string, string>>;

interface LockedPackage {
  readonly dependencies?: Names;
  readonly optionalDependencies?: Names;
  readonly hasInstallScript?: boolean;
}

/**
 * One line for every dependency without a package in package-lock.json, and for every difference
 * between the packages that have an install script and `allowScripts` in the root's package.json.
 *
 * npm omits from the lock an optional dependency that the registry lacks, such as a tool's program
 * for another platform. `npm ci` then refuses that lock. npm 12 runs only the install scripts that
 * `allowScripts` names.
 */
export function lockProblems(files: readonly RepositoryFile[]): readonly string[] {
  const lock = files.find(({ path }) => path === "package-lock.json");
  if (lock === undefined) return ["package-lock.json: need one"];
  const packages: Record<string, LockedPackage> = JSON.parse(lock.text).packages;
  const manifest = files.find(({ path }) => path === "package.json");
  const allowed = Object.keys(JSON.parse(manifest?.text ?? "{}").allowScripts ?? {});
  return [...missingPackages(packages), ...wrongApprovals(packages, allowed)];
}

function missingPackages(packages: Record<string, LockedPackage>): readonly string[] {
  const names = new Set(Object.keys(packages).map(nameOf));
  return Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !names.has(name))
      .map((name) => `package-lock.json: ${path || "the root"} needs ${name}, which is not in it`),
  );
}

function wrongApprovals(
  packages: Record<string, LockedPackage>,
  allowed: readonly string[],
): readonly string[] {
  const scripted = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => nameOf(path));
  return [
    ...scripted
      .filter((name) => !allowed.includes(name))
      .map((name) => `package.json: ${name} has an install script, need it in allowScripts`),
    ...allowed
      .filter((name) => !scripted.includes(name))
      .map((name) => `package.json: allowScripts names ${name}, which has no install script`),
  ];
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}
