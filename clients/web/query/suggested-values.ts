/** Values of filters that many people need: for suggestions, and for menus above the list. */
import { type FilterName, typeNames } from "@stowage/api/query/read-filter";
import { strings } from "../text/strings.ts";

export interface SuggestedValue {
  readonly value: string;
  readonly about: string;
}

const { types } = strings.uploads;
const { sizes, times } = strings.query;

export const suggestedTypes: readonly SuggestedValue[] = typeNames.map((value) => ({
  value,
  about: types[value],
}));

export const suggestedSizes = valuesOf(sizes);

const suggestedTimes = valuesOf(times);

export const suggestedValues: Partial<Record<FilterName, readonly SuggestedValue[]>> = {
  type: suggestedTypes,
  size: suggestedSizes,
  created: suggestedTimes,
  changed: suggestedTimes,
};

function valuesOf(texts: Readonly<Record<string, string>>): readonly SuggestedValue[] {
  return Object.entries(texts).map(([value, about]) => ({ value, about }));
}
