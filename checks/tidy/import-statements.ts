import { isCode, type RepositoryFile } from "./repository.ts";

/** Text between quotation marks after `from`, a bare `import` or `import(`. */
const statements = [
  /^(?:import|export)\s(?:[^"';]*?\s)?from\s+"([^"]+)";/gm,
  /^import\s+"([^"]+)";/gm,
  /\bimport\(\s*"([^"]+)"/g,
];

/** What a file imports, types included: `./x.ts`, `node:fs`, `@stowage/api/json/read-json`. */
export function importsOf(file: RepositoryFile): readonly string[] {
  if (!isCode(file)) return [];
  return statements.flatMap((statement) =>
    Array.from(file.text.matchAll(statement), (match) => match[1] as string),
  );
}

/** The package that a specifier names, or undefined for a path or a part of Node. */
export function packageNameOf(specifier: string): string | undefined {
  if (specifier.startsWith(".") || specifier.startsWith("node:")) return undefined;
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
}
