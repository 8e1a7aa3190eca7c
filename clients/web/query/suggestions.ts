/** What may be typed next: the names of filters, and common values of a filter. */
import type { QueryPart } from "@stowage/api/query/parse-query";
import { type FilterName, filterNeeds } from "@stowage/api/query/read-filter";
import { strings } from "../text/strings.ts";
import { readQuery } from "./page-query.ts";
import { type SuggestedValue, suggestedValues } from "./suggested-values.ts";

export interface Suggestion {
  readonly text: string;
  readonly about: string;
}

export interface Suggestions {
  /** They replace the text from here to the caret. */
  readonly start: number;
  readonly items: readonly Suggestion[];
}

const names = Object.keys(filterNeeds) as FilterName[];

/**
 * Suggestions for what ends at the caret. Where nothing has been typed yet, all filters, if they
 * are asked for: they would hide the results after each space.
 */
export function suggestionsAt(query: string, caret: number, isAsked: boolean): Suggestions {
  const part = readQuery(query).parts.find(({ start, end }) => start < caret && caret <= end);
  if (part === undefined) return { start: caret, items: isAsked ? filtersLike("") : [] };
  if (caret < part.end) return none;
  const typed = part.written.slice(part.isExcluded ? 1 : 0);
  if (part.kind === "word") return { start: caret - typed.length, items: filtersLike(typed) };
  return valuesLike(part, typed);
}

const none: Suggestions = { start: 0, items: [] };

function filtersLike(typed: string): Suggestion[] {
  return names
    .filter((name) => name.startsWith(typed.toLowerCase()))
    .map((name) => ({ text: `${name}:`, about: strings.query.filters[name] }));
}

/** Of several values, the last is the one that is typed. */
function valuesLike(part: Exclude<QueryPart, { kind: "word" }>, typed: string): Suggestions {
  const value = typed.slice(Math.max(typed.indexOf(":"), typed.lastIndexOf(",")) + 1);
  const wanted = value.toLowerCase();
  const isLike = (suggested: SuggestedValue) => {
    const name = suggested.value.toLowerCase();
    return name.startsWith(wanted) && name !== wanted;
  };
  const items = (suggestedValues[part.name] ?? []).filter(isLike);
  return {
    start: part.end - value.length,
    items: items.map(({ value, about }) => ({ text: `${value} `, about })),
  };
}
