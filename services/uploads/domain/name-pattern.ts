import { foldName, normaliseName } from "./fold.ts";

/** Most code points in the text of a filter. */
export const filterTextLengthMax = 256;

/**
 * A filter on names, as a pattern of SQL's LIKE over names that were brought into the same form.
 */
export interface NamePattern {
  /** `%` is any characters, `_` one code point, `\` takes the next character as it is. */
  readonly like: string;
  /** Compare names in form C; otherwise folded. */
  readonly caseSensitive: boolean;
}

export type NameRule = "equals" | "prefix" | "contains" | "glob";

/** The pattern of a filter. */
export function namePattern(rule: NameRule, text: string, caseSensitive: boolean): NamePattern {
  const comparable = caseSensitive ? normaliseName(text) : foldName(text);
  return { like: likeOf[rule](comparable), caseSensitive };
}

/**
 * The pattern of a search: a whole name where the text holds `*` or `?`, a part of it otherwise.
 */
export function searchPattern(text: string): NamePattern {
  return namePattern(/[*?]/.test(text) ? "glob" : "contains", text, false);
}

const likeOf: Record<NameRule, (text: string) => string> = {
  equals: literal,
  prefix: (text) => `${literal(text)}%`,
  contains: (text) => `%${literal(text)}%`,
  glob: (text) => literal(text).replaceAll("*", "%").replaceAll("?", "_"),
};

function literal(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
