import { dirname } from "node:path";
import type { RepositoryFile } from "./repository.ts";

type Versions = Readonly<Record<string, string>>;

/** A folder with a package.json. The root of the repository is one too, with folder `.`. */
export interface Package {
  readonly name: string;
  /** Undefined for the root, which nothing depends on. */
  readonly version: string | undefined;
  readonly folder: string;
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
  readonly optionalDependencies: Versions;
  /** Chosen by the program that installs the package, so these may be ranges of versions. */
  readonly peerDependencies: Versions;
  /** The files that others may import, by `.` or `./path`, each with at most one `*`. */
  readonly exports: Readonly<Record<string, string>>;
}

export function packagesOf(files: readonly RepositoryFile[]): readonly Package[] {
  return files
    .filter(({ path }) => /(?:^|\/)package\.json$/.test(path))
    .map(({ path, text }) => {
      const content = JSON.parse(text);
      return {
        name: content.name,
        version: content.version,
        folder: dirname(path),
        dependencies: content.dependencies ?? {},
        devDependencies: content.devDependencies ?? {},
        optionalDependencies: content.optionalDependencies ?? {},
        peerDependencies: content.peerDependencies ?? {},
        exports: content.exports ?? {},
      };
    });
}

/** The package that a file belongs to: the deepest folder that holds it. */
export function packageOf(path: string, packages: readonly Package[]): Package | undefined {
  return packages
    .filter(({ folder }) => folder === "." || path.startsWith(`${folder}/`))
    .reduce<Package | undefined>(
      (deepest, next) =>
        deepest === undefined || next.folder.length > deepest.folder.length ? next : deepest,
      undefined,
    );
}

/** The package that a specifier names, or undefined for a path or a part of Node. */
export function packageNameOf(specifier: string): string | undefined {
  if (specifier.startsWith(".") || specifier.startsWith("node:")) return undefined;
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
}
