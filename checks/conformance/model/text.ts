/** How names are compared: order by code point, folding, and patterns. */

/** The order of Unicode code points. UTF-16 has astral characters before U+E000. */
export function compareCodePoints(left: string, right: string): number {
  let index = 0;
  while (index < left.length && left[index] === right[index]) index++;
  // If the second halves of two surrogate pairs differ first, their first halves are equal.
  return pointAt(left, index) - pointAt(right, index);
}

/** The end of a text sorts before every code point. */
function pointAt(text: string, index: number): number {
  return text.codePointAt(index) ?? -1;
}

/** Normalisation form C, then lower case, with every final sigma as a plain one. */
export function fold(text: string): string {
  return text.normalize("NFC").toLowerCase().replaceAll("ς", "σ");
}

/** The whole text matches: `*` is any characters or none, `?` is one code point. */
export function matchesPattern(text: string, pattern: string): boolean {
  const points = Array.from(text);
  // The lengths of the prefixes of the text that the pattern so far matches.
  let ends = [0];
  for (const part of Array.from(pattern)) {
    if (part === "*") ends = lengthsFrom(Math.min(...ends), points.length);
    else ends = ends.filter((end) => fits(points[end], part)).map((end) => end + 1);
  }
  return ends.includes(points.length);
}

function lengthsFrom(first: number, last: number): number[] {
  const lengths: number[] = [];
  for (let length = first; length <= last; length++) lengths.push(length);
  return lengths;
}

function fits(point: string | undefined, part: string): boolean {
  return point !== undefined && (part === "?" || part === point);
}
