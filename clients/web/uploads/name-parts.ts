/** Which parts of a name a search has found. */
import { markedParts } from "../folders/filter-marks.ts";

interface NamePart {
  readonly text: string;
  readonly start: number;
  readonly isMatch: boolean;
}

/**
 * The parts of a name, in order. In a pattern, the longest text between its `*` and `?` is marked:
 * the rest is not what one looks for.
 */
export function nameParts(name: string, search: string): readonly NamePart[] {
  const wanted = search
    .split(/[*?]+/)
    .reduce((longest, text) => (text.length > longest.length ? text : longest), "");
  let start = 0;
  return markedParts(name, wanted).map((text, index) => {
    const part = { text, start, isMatch: index % 2 === 1 };
    start += text.length;
    return part;
  });
}
