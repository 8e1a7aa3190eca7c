import type { TextFilter } from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { invalidField } from "../model/api-error.ts";
import { filterTextLengthMax, type NamePattern, namePattern } from "../model/name-pattern.ts";
import { readFilterText } from "../model/read-text.ts";

/** The pattern of a text filter; none for no filter. */
export function readTextFilter(
  field: string,
  filter: TextFilter | undefined,
): NamePattern | undefined {
  if (filter === undefined) return undefined;
  const { rule, caseSensitive } = filter;
  if (rule.case === undefined) {
    throw invalidField(field, "has no rule; need one of equals, prefix, contains and glob");
  }
  const text = readFilterText(`${field}.${rule.case}`, rule.value, filterTextLengthMax);
  return namePattern(rule.case, text, caseSensitive);
}
