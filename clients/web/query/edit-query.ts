/** Changes of the query by controls, chips and clicks. */
import type { QueryPart } from "@stowage/api/query/parse-query";
import type { FilterName } from "@stowage/api/query/read-filter";
import { joinParts, readQuery } from "./page-query.ts";

/**
 * The query in which a filter has only this value, written as in the language. Empty: none. Filters
 * that exclude something stay.
 */
export function withFilter(query: string, name: FilterName, value: string): string {
  const { parts } = readQuery(query);
  const filter = value === "" ? [] : [`${name}:${value}`];
  const first = parts.find((part) => isFilter(part, name));
  const written = parts.flatMap((part) => {
    if (part === first) return filter;
    return isFilter(part, name) ? [] : [part.written];
  });
  return joinParts(first === undefined ? [...written, ...filter] : written);
}

/** The value that a filter has in the query: empty without one, `>1MB <1GB` of two filters. */
export function filterValue(query: string, name: FilterName): string {
  return readQuery(query)
    .filters.filter((part) => isFilter(part, name))
    .map(({ written }) => written.slice(name.length + 1))
    .join(" ");
}

function isFilter(part: QueryPart, name: FilterName): boolean {
  return part.kind !== "word" && part.name === name && !part.isExcluded;
}

/** The query without one of its parts. */
export function withoutPart(query: string, part: QueryPart): string {
  const others = readQuery(query).parts.filter((other) => other.start !== part.start);
  return joinParts(others.map(({ written }) => written));
}

/**
 * The filters of the query that still hold in a folder that is opened: all but `in:`, whose place
 * the folder takes.
 */
export function filtersOf(query: string): string {
  const filters = readQuery(query).filters.filter((part) => !isFilter(part, "in"));
  return joinParts(filters.map(({ written }) => written));
}

/** The query for uploads that have the tag too; the same query for a tag of spaces alone. */
export function withTag(query: string, tag: string): string {
  const filter = `tag:${writtenValue(tag)}`;
  const written = readQuery(query).parts.map((part) => part.written);
  if (tag.trim() === "" || written.includes(filter)) return query;
  return joinParts([...written, filter]);
}

/** A text as the value of a filter, in quotes if it needs them. The text is not of spaces alone. */
export function writtenValue(text: string): string {
  return /[\s,]|^"/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
