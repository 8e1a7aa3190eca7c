/** Values of filters that many people need: for suggestions, and for menus above the list. */
import { type FilterName, typeNames } from "@stowage/api/query/read-filter";
import { strings } from "../text/strings.ts";

export interface SuggestedValue {
  readonly value: string;
  readonly about: string;
}

const { types } = strings.uploads;
const { sizes, times, calendar } = strings.query;

export const suggestedTypes: readonly SuggestedValue[] = typeNames.map((value) => ({
  value,
  about: types[value],
}));

export const suggestedSizes = valuesOf(sizes);

/** The calendar shows the forms that months and years have. In UTC, as all times of a query. */
export function calendarValues(now: Date): readonly SuggestedValue[] {
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1));
  return [
    { value: month.toISOString().slice(0, 7), about: calendar.month },
    { value: `${now.getUTCFullYear() - 1}`, about: calendar.year },
  ];
}

const suggestedTimes = [...valuesOf(times), ...calendarValues(new Date())];

export const suggestedValues: Partial<Record<FilterName, readonly SuggestedValue[]>> = {
  type: suggestedTypes,
  size: suggestedSizes,
  created: suggestedTimes,
  changed: suggestedTimes,
};

function valuesOf(texts: Readonly<Record<string, string>>): readonly SuggestedValue[] {
  return Object.entries(texts).map(([value, about]) => ({ value, about }));
}
