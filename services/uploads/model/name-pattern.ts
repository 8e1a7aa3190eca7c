import { foldName, normaliseName } from "@stowage/api/names/fold-name";

/**
 * How a text is compared with a name: with the whole name, its beginning, or any part of it; or as
 * a pattern for the whole name, in which `*` is any characters and `?` one code point.
 */
export type NameRule = "equals" | "prefix" | "contains" | "glob";

/** A filter on names. */
export interface NamePattern {
  readonly rule: NameRule;
  /** In the form in which names are compared. */
  readonly text: string;
  readonly caseSensitive: boolean;
}

/** The pattern of a filter. */
export function namePattern(rule: NameRule, text: string, caseSensitive: boolean): NamePattern {
  return { rule, text: caseSensitive ? normaliseName(text) : foldName(text), caseSensitive };
}

/** The pattern of a search: for a whole name if the text has `*` or `?`, else for a part of it. */
export function searchPattern(text: string): NamePattern {
  return namePattern(/[*?]/.test(text) ? "glob" : "contains", text, false);
}
