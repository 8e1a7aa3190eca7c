import { dirname } from "node:path";
import type { RepositoryFile } from "./repository.ts";

/** A folder with a package.json. The root of the repository is one too, with folder `.`. */
export interface Package {
  readonly name: string;
  readonly folder: string;
  /** Undefined for the root, which nothing depends on. */
  readonly version: string | undefined;
  /** What is installed: all lists but that of peers, which may be ranges of versions. */
  readonly dependencies: Readonly<Record<string, string>>;
}

export function packagesOf(files: readonly RepositoryFile[]): readonly Package[] {
  return files
    .filter(({ path }) => /(?:^|\/)package\.json$/.test(path))
    .map(({ path, text }) => {
      const { name, version, ...lists } = JSON.parse(text);
      const { dependencies, devDependencies, optionalDependencies } = lists;
      return {
        name,
        version,
        folder: dirname(path),
        dependencies: { ...dependencies, ...devDependencies, ...optionalDependencies },
      };
    });
}

/** The package that a file belongs to: the deepest folder that holds it. */
export function packageOf(path: string, packages: readonly Package[]): Package | undefined {
  return packages
    .filter(({ folder }) => folder === "." || path.startsWith(`${folder}/`))
    .toSorted((one, other) => other.folder.length - one.folder.length)[0];
}

/** The package that a specifier names, or undefined for a path or a part of Node. */
export function packageNameOf(specifier: string): string | undefined {
  if (specifier.startsWith(".") || specifier.startsWith("node:")) return undefined;
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
}
