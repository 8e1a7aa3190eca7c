import { join } from "node:path/posix";
import { type Package, packageNameOf } from "./packages.ts";
import { isCode, type RepositoryFile } from "./repository.ts";

/** One `import … from`, `export … from`, bare `import` or `import()` of a file. */
interface ImportStatement {
  /** `./x.ts`, `node:fs`, `@stowage/api/json/read-json`. */
  readonly specifier: string;
  /** The exported names that the statement asks for, or `*` for all of them. */
  readonly names: readonly string[];
}

const forms = [
  /^(?:import|export)\s(?:(?<clause>[^"';]*?)\s)?from\s+"(?<specifier>[^"]+)";/gm,
  /^import\s+"(?<specifier>[^"]+)";/gm,
  /\bimport\(\s*"(?<specifier>[^"]+)"/g,
];

/** What a file imports, types included. */
export function importStatementsOf(file: RepositoryFile): readonly ImportStatement[] {
  if (!isCode(file)) return [];
  return forms.flatMap((form) =>
    Array.from(file.text.matchAll(form), ({ groups }) => ({
      specifier: groups?.specifier as string,
      names: namesIn(groups?.clause),
    })),
  );
}

/** The specifiers of a file's imports. */
export function importsOf(file: RepositoryFile): readonly string[] {
  return importStatementsOf(file).map(({ specifier }) => specifier);
}

/** `type { A, b as c }` asks for `A` and `b`. */
function namesIn(clause: string | undefined): readonly string[] {
  const list = clause === undefined ? undefined : /\{([^}]*)\}/.exec(clause)?.[1];
  return list === undefined ? ["*"] : listedNames(list).map(({ name }) => name);
}

/** The entries of `A, type B, c as d`. */
export function listedNames(list: string): readonly { name: string; exportedAs: string }[] {
  return list
    .split(",")
    .map((entry) => entry.trim().replace(/^type\s+/, ""))
    .filter((entry) => entry !== "")
    .map((entry) => {
      const [name = entry, exportedAs = name] = entry.split(/\s+as\s+/);
      return { name, exportedAs };
    });
}

/** The repository's file that a specifier means in the file at `path`, if it means one. */
export function importedFile(
  path: string,
  specifier: string,
  packages: readonly Package[],
): string | undefined {
  if (specifier.startsWith(".")) return join(path, "..", specifier);
  const name = packageNameOf(specifier);
  const target = packages.find((candidate) => candidate.name === name);
  if (name === undefined || target === undefined) return undefined;
  const entry = `.${specifier.slice(name.length)}`;
  for (const [pattern, file] of Object.entries(target.exports)) {
    const [start = "", end] = pattern.split("*");
    if (end === undefined && pattern === entry) return join(target.folder, file);
    if (end !== undefined && entry.startsWith(start) && entry.endsWith(end)) {
      const wildcard = entry.slice(start.length, entry.length - end.length);
      return join(target.folder, file.replace("*", wildcard));
    }
  }
  return undefined;
}
