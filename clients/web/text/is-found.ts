/** Whether a name is what a search is for, as the service finds uploads. */
import { foldName } from "@stowage/api/names/fold-name";

/**
 * A text with `*` (any characters) or `?` (one character) is a pattern for the whole name; any
 * other is a part of it.
 */
export function isFound(name: string, search: string): boolean {
  const folded = foldName(name);
  const wanted = foldName(search);
  return /[*?]/.test(wanted) ? matchesPattern([...folded], [...wanted]) : folded.includes(wanted);
}

/**
 * Each `*` takes as little as it can, and only the last one more: that is enough, and takes no
 * longer than the product of the lengths. A regular expression may take for ever.
 */
function matchesPattern(name: readonly string[], pattern: readonly string[]): boolean {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let afterStar = 0;
  while (at < name.length) {
    if (pattern[inPattern] === "*") {
      star = inPattern;
      afterStar = at;
      inPattern += 1;
    } else if (pattern[inPattern] === "?" || pattern[inPattern] === name[at]) {
      at += 1;
      inPattern += 1;
    } else if (star >= 0) {
      afterStar += 1;
      at = afterStar;
      inPattern = star + 1;
    } else {
      return false;
    }
  }
  return pattern.slice(inPattern).every((character) => character === "*");
}
