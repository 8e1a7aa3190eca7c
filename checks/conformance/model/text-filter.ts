/** The rule of a text filter. */
import { ModelError } from "./messages.ts";
import { fold, matchesPattern } from "./text.ts";

export interface TextFilter {
  equals?: string;
  prefix?: string;
  contains?: string;
  glob?: string;
  caseSensitive?: boolean;
}

const rules = {
  equals: (text: string, wanted: string) => text === wanted,
  prefix: (text: string, wanted: string) => text.startsWith(wanted),
  contains: (text: string, wanted: string) => text.includes(wanted),
  glob: matchesPattern,
};

/** Whether a text matches the filter; without a filter every text does. */
export function textRule(filter: TextFilter | null | undefined): (text: string) => boolean {
  if (!filter) return () => true;
  const { caseSensitive, ...given } = filter;
  const [[name, wanted] = [], ...more] = Object.entries(given);
  if (wanted === undefined || more.length > 0 || Array.from(wanted).length > 256) {
    throw new ModelError("invalid_argument", "text filter");
  }
  const prepare = caseSensitive ? (text: string) => text.normalize("NFC") : fold;
  const rule = rules[name as keyof typeof rules];
  const prepared = prepare(wanted);
  return (text) => rule(prepare(text), prepared);
}
