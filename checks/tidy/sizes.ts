import { isCode, isHandwritten, type RepositoryFile } from "./repository.ts";

const linesMax = 300;
const columnsMax = 100;

/** Paths of the handwritten code files of more than 300 lines. */
export function longFilesOf(files: readonly RepositoryFile[]): readonly string[] {
  return files
    .filter((file) => isHandwritten(file) && (isCode(file) || /\.(?:proto|sql)$/.test(file.path)))
    .filter(({ text }) => text.trimEnd().split("\n").length > linesMax)
    .map(({ path }) => path);
}

/** One line for every line of more than 100 columns, prose aside. Some lines cannot be broken. */
export function longLines(files: readonly RepositoryFile[]): readonly string[] {
  const measured = files.filter((file) => isHandwritten(file) && !file.path.endsWith(".md"));
  return measured.flatMap(({ path, text }) =>
    text
      .split("\n")
      .map((line, index) => ({ line, columns: Array.from(line).length, number: index + 1 }))
      .filter(({ line, columns }) => columns > columnsMax && !isUnbreakable(line))
      .map(({ columns, number }) => `${path}:${number} has ${columns} columns`),
  );
}

function isUnbreakable(line: string): boolean {
  return /^(?:import|export|\}).* from "[^"]+";$/.test(line) || /^\W*https?:\S+$/.test(line);
}
