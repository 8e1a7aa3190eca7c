/** Which parts of names and paths a filter or a search has found. */
import { foldName, normaliseName } from "@stowage/api/names/fold-name";

export interface NamePart {
  readonly text: string;
  readonly start: number;
  readonly isMatch: boolean;
}

/** A word of a search. */
interface SearchedWord {
  readonly text: string;
  /** Whether the text is a pattern with `*` and `?`, for the whole name. */
  readonly isPattern: boolean;
}

/** The parts of a name, in order. */
export function nameParts(name: string, text: string): readonly NamePart[] {
  const whole = normaliseName(name);
  const marks = new Uint8Array(whole.length);
  mark(marks, name, text);
  return partsOf(whole, marks, 0, whole.length);
}

/**
 * The parts of a name and of the path of its folder: a word with a slash is found in both. In a
 * pattern, the longest text between its `*` and `?` is marked: the rest is not what one looks for.
 */
export function pathAndNameParts(
  path: string,
  name: string,
  words: readonly SearchedWord[],
): { readonly path: readonly NamePart[]; readonly name: readonly NamePart[] } {
  const before = path === "/" ? path : `${path}/`;
  const whole = normaliseName(before + name);
  const nameStart = normaliseName(before).length;
  const marks = new Uint8Array(whole.length);
  for (const { text, isPattern } of words) {
    if (!isPattern) mark(marks, before + name, text);
    else if (text.includes("/")) mark(marks, before + name, longestText(text));
    else mark(marks.subarray(nameStart), name, longestText(text));
  }
  return {
    path: partsOf(whole, marks, 0, path === "/" ? 1 : nameStart - 1),
    name: partsOf(whole, marks, nameStart, whole.length),
  };
}

function longestText(pattern: string): string {
  return pattern
    .split(/[*?]+/)
    .reduce((longest, text) => (text.length > longest.length ? text : longest), "");
}

/** Marks the characters of a name, in form C, where it has the text. */
function mark(marks: Uint8Array, name: string, text: string): void {
  const folded = foldName(name);
  const wanted = foldName(text);
  // A few characters change their length in lower case: positions differ, and nothing is marked.
  if (wanted === "" || folded.length !== marks.length) return;
  for (let at = folded.indexOf(wanted); at !== -1; at = folded.indexOf(wanted, at + 1)) {
    marks.fill(1, at, at + wanted.length);
  }
}

function partsOf(whole: string, marks: Uint8Array, from: number, to: number): NamePart[] {
  const parts: NamePart[] = [];
  for (let start = from, end = from; start < to; start = end) {
    while (end < to && marks[end] === marks[start]) end += 1;
    parts.push({ text: whole.slice(start, end), start, isMatch: marks[start] === 1 });
  }
  return parts;
}
