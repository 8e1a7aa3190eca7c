/** Values of filters that many people need: for suggestions, and for the menus of the filter bar. */
import { type FilterName, typeNames } from "@stowage/api/query/read-filter";
import { strings } from "../text/strings.ts";

export interface CommonValue {
  readonly value: string;
  readonly about: string;
}

const { types } = strings.uploads;
const { sizes, times } = strings.query;

export const commonTypes: readonly CommonValue[] = typeNames.map((value) => ({
  value,
  about: types[value],
}));

export const commonSizes = valuesOf(sizes);

const commonTimes = valuesOf(times);

export const commonValues: Partial<Record<FilterName, readonly CommonValue[]>> = {
  type: commonTypes,
  size: commonSizes,
  created: commonTimes,
  changed: commonTimes,
};

function valuesOf(texts: Readonly<Record<string, string>>): readonly CommonValue[] {
  return Object.entries(texts).map(([value, about]) => ({ value, about }));
}
