/** How names are compared: order by code point, folding, and patterns. */

/** The order of Unicode code points. UTF-16 order differs: it puts astral characters before U+E000. */
export function compareCodePoints(left: string, right: string): number {
  const leftPoints = Array.from(left, codePoint);
  const rightPoints = Array.from(right, codePoint);
  const length = Math.min(leftPoints.length, rightPoints.length);
  for (let index = 0; index < length; index++) {
    const difference = (leftPoints[index] ?? 0) - (rightPoints[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return leftPoints.length - rightPoints.length;
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}

/** Normalisation form C, then lower case, with every final sigma as a plain one. */
export function fold(text: string): string {
  return text.normalize("NFC").toLowerCase().replaceAll("ς", "σ");
}

/** The whole text matches: `*` is any characters or none, `?` is one code point. */
export function matchesPattern(text: string, pattern: string): boolean {
  const points = Array.from(text);
  // The lengths of those beginnings of the text that the pattern so far can match.
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
