/** Reads the parts of a query that lists and folders have in common. */
import { describe } from "@stowage/api/json/field-violations";
import { foldName } from "@stowage/api/names/fold-name";
import {
  parseQuery,
  type QueryPart,
  queryLengthMax,
  queryPartsMax,
} from "@stowage/api/query/parse-query";
import { readPath, readText } from "../access/request-fields.ts";
import { invalidField } from "../model/api-error.ts";
import { treeKey } from "../model/tree-key.ts";
import {
  intersectRanges,
  mergeRanges,
  subtractRanges,
  subtreeRange,
  type TreeKeyRange,
} from "../model/tree-key-range.ts";
import type { QueryWord } from "../model/upload-query.ts";

/** The parts of a query. Throws `ApiError` FIELD_INVALID if one is wrong, or there are too many. */
export function readQuery(query: string, nowMicros: bigint): QueryPart[] {
  const length = [...readText("query", query)].length;
  if (length > queryLengthMax) {
    throw invalidQuery(`is ${length} code points; need at most ${queryLengthMax}`);
  }
  const parts = parseQuery(query, nowMicros);
  for (const part of parts) {
    if (part.kind !== "wrong") continue;
    throw invalidQuery(`has the part ${describe(part.written)}; ${part.name}: needs ${part.need}`);
  }
  for (const kind of ["word", "filter"]) {
    const count = parts.filter((part) => part.kind === kind).length;
    if (count > queryPartsMax) {
      throw invalidQuery(`has ${count} ${kind}s; need at most ${queryPartsMax}`);
    }
  }
  return parts;
}

export function invalidQuery(description: string) {
  return invalidField("query", description);
}

export function wordOf(part: Extract<QueryPart, { kind: "word" }>): QueryWord {
  const { text, isExcluded, isPattern } = part;
  return { text: foldName(text), isExcluded, isPattern };
}

/** All folders of a bucket. */
export const everyFolder: readonly TreeKeyRange[] = [subtreeRange(treeKey("/"))];

/** The folders of `in:`, each with all under it. Throws `ApiError` FIELD_INVALID. */
export function foldersOf({ values }: { readonly values: readonly string[] }): TreeKeyRange[] {
  return mergeRanges(values.map((value) => subtreeRange(treeKey(readPath("query", value)))));
}

export function narrowedFolders(
  ranges: readonly TreeKeyRange[],
  given: readonly TreeKeyRange[],
  isExcluded: boolean,
): TreeKeyRange[] {
  if (isExcluded) return subtractRanges(ranges, given);
  return given.flatMap((window) => intersectRanges(ranges, window));
}
