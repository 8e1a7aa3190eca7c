/** Which parts of a name a filter or a search has found. */
import { foldName, normaliseName } from "@stowage/api/names/fold-name";

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

/** The parts of a name, alternately outside and inside matches: `["re", "port", "s"]`. */
export function markedParts(name: string, text: string): readonly string[] {
  if (text === "") return [name];
  const whole = normaliseName(name);
  const folded = foldName(name);
  const wanted = foldName(text);
  // A few characters change their length in lower case: positions differ, and nothing is marked.
  if (folded.length !== whole.length) return [name];
  const parts: string[] = [];
  let end = 0;
  for (let at = folded.indexOf(wanted); at !== -1; at = folded.indexOf(wanted, end)) {
    parts.push(whole.slice(end, at), whole.slice(at, at + wanted.length));
    end = at + wanted.length;
  }
  return [...parts, whole.slice(end)];
}
