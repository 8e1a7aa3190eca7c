import { packagesOf } from "./packages.ts";
import type { RepositoryFile } from "./repository.ts";

/** An alias of a package has a longer form: `npm:@types/node@22.7.9`. */
const exactVersion = /^(?:npm:.+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/;

/**
 * One line for every version that is not exact, or differs from the version in another
 * package.json. The version of one of our own packages must be its current one: npm would look for
 * any other in the registry.
 */
export function versionProblems(files: readonly RepositoryFile[]): readonly string[] {
  const packages = packagesOf(files);
  const seen = new Map(packages.map(({ name, version }) => [name, version]));
  return packages.flatMap(({ folder, dependencies }) =>
    Object.entries(dependencies).flatMap(([name, version]) => {
      const other = seen.get(name) ?? version;
      seen.set(name, other);
      if (!exactVersion.test(version)) {
        return [`${folder}: ${name} is ${version}, need one exact version`];
      }
      return other === version ? [] : [`${folder}: ${name} is ${version}, elsewhere ${other}`];
    }),
  );
}
