import { importedFile, importsOf } from "./import-statements.ts";
import { packageOf, packagesOf } from "./packages.ts";
import { isCode, type RepositoryFile } from "./repository.ts";

/**
 * One line for every import cycle between the children (folders and files) of a folder, for example
 * `services/uploads: access → lists → access`. Type imports count. Tests and test support do not:
 * they may use any part of their package.
 *
 * Two children that import each other are one line. Longer cycles are searched for without the
 * imports of those pairs, and are one line for each group of children.
 */
export function importCycles(files: readonly RepositoryFile[]): readonly string[] {
  return Array.from(foldersOf(files)).flatMap(([folder, imports]) => {
    const pairs = mutualImports(imports);
    for (const [one, other] of pairs) {
      imports.get(one)?.delete(other);
      imports.get(other)?.delete(one);
    }
    const cycles: (readonly string[])[] = [...pairs, ...longCycles(imports)];
    return cycles.map((cycle) => `${folder}: ${[...cycle, cycle[0]].join(" → ")}`);
  });
}

/** Which children of a folder each child imports. */
type ChildImports = Map<string, Set<string>>;

function foldersOf(files: readonly RepositoryFile[]): ReadonlyMap<string, ChildImports> {
  const packages = packagesOf(files);
  const folders = new Map<string, ChildImports>();
  for (const file of files.filter((file) => isCode(file) && !isForTests(file.path))) {
    for (const specifier of importsOf(file)) {
      const target = importedFile(file.path, specifier, packages);
      if (target === undefined || target === file.path || isForTests(target)) continue;
      if (packageOf(target, packages) !== packageOf(file.path, packages)) continue;
      const [folder, from, to] = childrenOf(file.path, target);
      const imports = folders.get(folder) ?? new Map<string, Set<string>>();
      imports.set(from, (imports.get(from) ?? new Set()).add(to));
      folders.set(folder, imports);
    }
  }
  return folders;
}

function isForTests(path: string): boolean {
  return /\.test\.ts$|(?:^|\/)testing\//.test(path);
}

/** The deepest folder that holds both paths, and its child that leads to each. */
function childrenOf(path: string, target: string): [folder: string, from: string, to: string] {
  const from = path.split("/");
  const to = target.split("/");
  const depth = from.findIndex((name, index) => name !== to[index]);
  return [from.slice(0, depth).join("/"), from[depth] ?? "", to[depth] ?? ""];
}

function mutualImports(imports: ChildImports): readonly (readonly [string, string])[] {
  return Array.from(imports).flatMap(([from, targets]) =>
    Array.from(targets)
      .filter((to) => from < to && imports.get(to)?.has(from))
      .map((to) => [from, to] as const),
  );
}

/** The shortest cycle through a child, for every group of children that reach each other. */
function longCycles(imports: ChildImports): readonly (readonly string[])[] {
  const seen = new Set<string>();
  return Array.from(imports.keys())
    .sort()
    .flatMap((child) => {
      const cycle = seen.has(child) ? undefined : shortestCycle(child, imports);
      for (const member of cycle ?? []) seen.add(member);
      return cycle === undefined ? [] : [cycle];
    });
}

function shortestCycle(start: string, imports: ChildImports): readonly string[] | undefined {
  const paths = new Map<string, readonly string[]>([[start, [start]]]);
  for (const [child, path] of paths) {
    for (const next of imports.get(child) ?? []) {
      if (next === start) return path;
      if (!paths.has(next)) paths.set(next, [...path, next]);
    }
  }
  return undefined;
}
