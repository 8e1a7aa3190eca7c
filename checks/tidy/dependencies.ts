import { importsOf } from "./import-statements.ts";
import { type Package, packageNameOf, packageOf, packagesOf } from "./packages.ts";
import { isDevelopmentCode, type RepositoryFile } from "./repository.ts";

/** Packages that nothing imports: tools run them as programs, or the compiler reads them. */
const programs: ReadonlySet<string> = new Set([
  "@biomejs/biome",
  "@bufbuild/buf",
  "@bufbuild/protoc-gen-es",
  "@types/node",
  "node-22-types",
  "typescript",
]);

/**
 * One line for every import that the file's package.json does not declare, every dependency that
 * nothing imports, and every dependency in the wrong list. Programs need `dependencies`, which
 * `npm ci --omit=dev` installs. Only tests and tools need `devDependencies`. The users of a library
 * choose its `peerDependencies`; its tests need them too, in `devDependencies`.
 */
export function dependencyProblems(files: readonly RepositoryFile[]): readonly string[] {
  const packages = packagesOf(files);
  return packages.flatMap((own) => {
    const code = files.filter(({ path }) => packageOf(path, packages) === own);
    const imported = importedBy(code.filter(({ path }) => !isDevelopmentCode(path)));
    const importedByTests = importedBy(code.filter(({ path }) => isDevelopmentCode(path)));
    return problemsOf(own, imported, importedByTests).map((problem) => `${own.folder}: ${problem}`);
  });
}

function problemsOf(
  own: Package,
  imported: ReadonlySet<string>,
  importedByTests: ReadonlySet<string>,
): string[] {
  const all = new Set([...imported, ...importedByTests]);
  const { dependencies, devDependencies, peerDependencies } = own;
  const declared = { ...dependencies, ...own.optionalDependencies, ...peerDependencies };
  const isDeclared = (name: string) => name === own.name || name in declared;
  return [
    ...[...imported]
      .filter((name) => !isDeclared(name))
      .map((name) => `imports ${name}, which is not in dependencies`),
    ...[...importedByTests]
      .filter((name) => !isDeclared(name) && !(name in devDependencies))
      .map((name) => `tests import ${name}, which is not in devDependencies`),
    ...Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies })
      .filter((name) => !all.has(typedBy(name)) && !programs.has(name))
      .map((name) => `declares ${name}, which nothing imports`),
    ...Object.keys(dependencies)
      .filter((name) => !imported.has(typedBy(name)))
      .filter((name) => all.has(typedBy(name)) || programs.has(name))
      .map((name) => `has ${name} in dependencies, which only tests and tools use`),
    ...Object.keys(peerDependencies)
      .filter((name) => !(name in devDependencies))
      .map((name) => `has ${name} in peerDependencies, but not for its tests in devDependencies`),
  ];
}

function importedBy(files: readonly RepositoryFile[]): ReadonlySet<string> {
  return new Set(
    files
      .flatMap(importsOf)
      .map(packageNameOf)
      .filter((name) => name !== undefined),
  );
}

/** The package that a package of types is for: `pg` for `@types/pg`. */
function typedBy(name: string): string {
  return name.startsWith("@types/") ? name.slice("@types/".length) : name;
}

/**
 * One line for every version that is not exact, or differs from the version in another
 * package.json. The version of one of our own packages must be its current one: npm would look for
 * any other in the registry. Peer dependencies may have any range.
 */
export function versionProblems(files: readonly RepositoryFile[]): readonly string[] {
  const packages = packagesOf(files);
  const seen = new Map(packages.map(({ name, version }) => [name, version]));
  return packages.flatMap(({ folder, ...own }) => {
    const versions = { ...own.dependencies, ...own.devDependencies, ...own.optionalDependencies };
    return Object.entries(versions).flatMap(([name, version]) => {
      // An alias of a package has a longer form: `npm:@types/node@22.7.9`.
      if (!/^(?:npm:.+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) {
        return [`${folder}: ${name} is ${version}, need one exact version`];
      }
      const other = seen.get(name) ?? version;
      seen.set(name, other);
      return other === version ? [] : [`${folder}: ${name} is ${version}, elsewhere ${other}`];
    });
  });
}
