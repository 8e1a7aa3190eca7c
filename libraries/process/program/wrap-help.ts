/** Wraps help texts to the width of the terminal. */

/** Commander's width where there is no terminal. */
const widthDefault = 80;

/** Longer lines of text are harder to read. */
const widthMax = 100;

/** In less room than this, as in Commander, lines stay long, and the terminal breaks them. */
const wrappedWidthMin = 40;

/** The width of help texts on this output. */
export function helpWidth({ columns = widthDefault }: { readonly columns?: number }): number {
  return Math.min(columns, widthMax);
}

/**
 * Wraps prose, and the explanations in lists of `TERM  explanation`, with a hanging indent. All
 * other indented lines stay as they are: they are commands to copy.
 */
export function wrapHelp(text: string, width: number): string {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const last = lines.at(-1);
    if (last !== undefined && isContinued(last, line)) {
      lines[lines.length - 1] = `${last} ${line.trimStart()}`;
    } else lines.push(line);
  }
  return lines.map((line) => wrapLine(line, width)).join("\n");
}

function isContinued(last: string, line: string): boolean {
  if (last === "" || line === "") return false;
  const column = columnOf(last);
  return line.search(/\S/) === column && (column > 0 || columnOf(line) === 0);
}

/** Where the text starts that may be wrapped; negative if there is none. */
function columnOf(line: string): number {
  const term = /^ *\S.*? {2,}(?=\S)/.exec(line)?.[0];
  if (term !== undefined) return term.length;
  return line.startsWith(" ") ? -1 : 0;
}

function wrapLine(line: string, width: number): string {
  const column = columnOf(line);
  if (column < 0 || width - column < wrappedWidthMin) return line;
  const [first = "", ...words] = line.slice(column).split(" ");
  const wrapped = [line.slice(0, column) + first];
  for (const word of words) {
    const last = wrapped.at(-1) ?? "";
    if (last.length + 1 + word.length > width) wrapped.push(" ".repeat(column) + word);
    else wrapped[wrapped.length - 1] = `${last} ${word}`;
  }
  return wrapped.join("\n");
}
