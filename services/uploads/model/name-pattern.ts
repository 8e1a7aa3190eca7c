import { foldName, normaliseName } from "./fold.ts";

/** Most code points in the text of a filter. */
export const filterTextLengthMax = 256;

/**
 * How a text is compared with a name: the whole of it, its beginning, any part of it, or as a
 * pattern for the whole, in which `*` is any characters and `?` one code point.
 */
export type NameRule = "equals" | "prefix" | "contains" | "glob";

/** A filter on names. */
export interface NamePattern {
  readonly rule: NameRule;
  /** In form C, and folded unless the case matters: names are compared in the same form. */
  readonly text: string;
  readonly caseSensitive: boolean;
}

/** The pattern of a filter. */
export function namePattern(rule: NameRule, text: string, caseSensitive: boolean): NamePattern {
  return { rule, text: caseSensitive ? normaliseName(text) : foldName(text), caseSensitive };
}

/** The pattern of a search: a whole name where the text holds `*` or `?`, else a part of it. */
export function searchPattern(text: string): NamePattern {
  return namePattern(/[*?]/.test(text) ? "glob" : "contains", text, false);
}
