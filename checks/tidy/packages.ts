import { dirname } from "node:path";
import type { RepositoryFile } from "./repository.ts";

type Versions = Readonly<Record<string, string>>;

/** One workspace: a folder with a package.json. The repository's root is one, with folder `.`. */
export interface Package {
  readonly name: string;
  /** Undefined for the root, which nothing depends on. */
  readonly version: string | undefined;
  readonly folder: string;
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
  readonly optionalDependencies: Versions;
  /** What whoever installs the package may bring along. The only ones with ranges of versions. */
  readonly peerDependencies: Versions;
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
