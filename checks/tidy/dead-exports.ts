import { join } from "node:path/posix";
import { importedFile, importStatementsOf, listedNames } from "./import-statements.ts";
import { type Package, packagesOf } from "./packages.ts";
import { isCode, isDevelopmentCode, isHandwritten, type RepositoryFile } from "./repository.ts";

/**
 * `path: name` of every export that no other file imports. If only tests import it, it counts as
 * dead too, unless its own file uses it or is code for development. Files that a package.json
 * exports by their full path are left out: other repositories may import them. So are declarations,
 * which give the types of JavaScript.
 */
export function deadExports(files: readonly RepositoryFile[]): readonly string[] {
  const packages = packagesOf(files);
  const entryPoints = new Set(packages.flatMap(entryPointsOf));
  const code = files.filter((file) => isCode(file) && isHandwritten(file));
  const { byTests, byOthers } = usesIn(code, packages);
  return code
    .filter(({ path }) => !entryPoints.has(path) && !isTest(path) && !path.endsWith(".d.ts"))
    .flatMap((file) =>
      exportsOf(file)
        .map((name) => ({ name, entry: `${file.path}: ${name}` }))
        .filter(({ entry }) => !isAmong(byOthers, entry))
        .filter(({ name, entry }) => !isAmong(byTests, entry) || !isForTests(file, name))
        .map(({ entry }) => entry),
    );
}

function entryPointsOf({ folder, exports }: Package): readonly string[] {
  return Object.values(exports).map((file) => join(folder, file));
}

/** `path: name` of every import, or `path: *` if it imports the whole file. */
function usesIn(files: readonly RepositoryFile[], packages: readonly Package[]) {
  const byTests = new Set<string>();
  const byOthers = new Set<string>();
  for (const file of files) {
    for (const { specifier, names } of importStatementsOf(file)) {
      const target = importedFile(file.path, specifier, packages);
      const uses = names.map((name) => `${target}: ${name}`);
      for (const use of uses) (isTest(file.path) ? byTests : byOthers).add(use);
    }
  }
  return { byTests, byOthers };
}

/** Tests export nothing, but may contain the text of modules that do. */
function isTest(path: string): boolean {
  return path.endsWith(".test.ts");
}

function isAmong(uses: ReadonlySet<string>, entry: string): boolean {
  return uses.has(entry) || uses.has(entry.replace(/: .*$/, ": *"));
}

/** Whether the export may have no users but tests. */
function isForTests({ path, text }: RepositoryFile, name: string): boolean {
  return isDevelopmentCode(path) || text.split(new RegExp(`\\b${name}\\b`)).length > 2;
}

function exportsOf({ text }: RepositoryFile): readonly string[] {
  const declared = /^export (?:\w+ )*?(?:function\*?|class|const|let|interface|type) (\w+)/gm;
  const listed = /^export (?:type )?\{([^}]*)\}/gm;
  return [
    ...Array.from(text.matchAll(declared), (match) => match[1] as string),
    ...Array.from(text.matchAll(listed), (match) => match[1] as string).flatMap((list) =>
      listedNames(list).map(({ exportedAs }) => exportedAs),
    ),
  ];
}
