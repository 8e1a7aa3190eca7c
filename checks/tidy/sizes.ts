import { isCode, isHandwritten, type RepositoryFile } from "./repository.ts";

const linesMax = 300;
const testLinesMax = 500;
const columnsMax = 100;

/** One line for every handwritten file of code that is too long. */
export function longFilesOf(files: readonly RepositoryFile[]): readonly string[] {
  return files
    .filter((file) => isHandwritten(file) && (isCode(file) || /\.(?:proto|sql)$/.test(file.path)))
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split("\n").length }))
    .filter(({ path, lines }) => lines > (path.endsWith(".test.ts") ? testLinesMax : linesMax))
    .map(({ path, lines }) => `${path} has ${lines} lines`);
}

/**
 * One line for every handwritten line of more than 100 columns. Lines without a place for a break
 * are left out: an import, an address, a text in JSON, a table row, a code block in Markdown.
 */
export function longLines(files: readonly RepositoryFile[]): readonly string[] {
  return files.filter(isHandwritten).flatMap(({ path, text }) => {
    const lines = path.endsWith(".md") ? withoutCodeBlocks(text) : text.split("\n");
    const isUnbreakable = unbreakableIn(path);
    return lines
      .map((line, index) => ({ line, columns: Array.from(line).length, number: index + 1 }))
      .filter(({ line, columns }) => columns > columnsMax && !isUnbreakable(line))
      .map(({ columns, number }) => `${path}:${number} has ${columns} columns`);
  });
}

function unbreakableIn(path: string): (line: string) => boolean {
  if (path.endsWith(".md")) return isUnbreakableProse;
  return path.endsWith(".json") ? isUnbreakableJson : isUnbreakableCode;
}

/** A member whose value is one text. */
function isUnbreakableJson(line: string): boolean {
  return /^ *"\w+": "(?:[^"\\]|\\.)*",?$/.test(line);
}

function isUnbreakableCode(line: string): boolean {
  return /^(?:import|export|\}).* from "[^"]+";$/.test(line) || /^\W*https?:\S+$/.test(line);
}

/** A table row, or a line with one word after its indentation and list marker. */
function isUnbreakableProse(line: string): boolean {
  return /^\s*\|/.test(line) || /^(?:[\s>*-]|\d+\.|\[[^\]]*\]:)*\S+$/.test(line);
}

/** The lines of a Markdown text, with those of code blocks empty. */
function withoutCodeBlocks(text: string): readonly string[] {
  let fence: string | undefined;
  return text.split("\n").map((line) => {
    const marker = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (fence !== undefined) {
      if (marker === fence) fence = undefined;
      return "";
    }
    fence = marker;
    return line;
  });
}
