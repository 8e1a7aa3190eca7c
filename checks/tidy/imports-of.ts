import { isCode, type RepositoryFile } from "./repository.ts";

const forms = [
  /^(?:import|export)\s(?:[^"';]*?\s)?from\s+"([^"]+)";/gm,
  /^import\s+"([^"]+)";/gm,
  /\bimport\(\s*"([^"]+)"/g,
];

/** What a file imports, types included: `./x.ts`, `node:fs`, `@stowage/api/json/read-json`. */
export function importsOf(file: RepositoryFile): readonly string[] {
  if (!isCode(file)) return [];
  return forms.flatMap((form) => Array.from(file.text.matchAll(form), (match) => match[1]!));
}
