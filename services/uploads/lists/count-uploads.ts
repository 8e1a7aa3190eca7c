/** Counts the uploads of a list as far as an answer says. */
import type { ReadResult } from "../access/bucket-reader.ts";
import { countReader } from "./plans/list-result.ts";
import type { UploadList } from "./plans/parameters.ts";
import { rowLimit } from "./plans/plan.ts";
import { createPageReader } from "./read-page.ts";

/** The most uploads that are counted. */
const countMax = rowLimit.count - 1;

/**
 * Reads the count as the end of an answer: the members `matchCount`, `matchCountIsExact` and
 * `matchSizeBytes`, each with a comma before it; nothing unless it is asked for. It is found as a
 * page of so many uploads would be.
 */
export function createCounter(list: UploadList, isAsked: boolean): ReadResult<string> {
  if (!isAsked) return async () => ({ accessVersion: null, result: "" });
  const page = { after: undefined, pageSize: countMax };
  const { read } = createPageReader(list, page, countReader(list));
  let counted: string | undefined;
  return async (readColumn, duration) => {
    if (counted !== undefined) return { accessVersion: null, result: counted };
    const { accessVersion, result } = await read(readColumn, duration);
    if (result === undefined) return { accessVersion, result };
    const { rowCount, next, documents } = result;
    counted = `,"matchCount":${rowCount},"matchCountIsExact":${next === undefined}`;
    if (next === undefined) counted += `,"matchSizeBytes":${sizeOf(documents)}`;
    return { accessVersion, result: counted };
  };
}

function sizeOf(documents: Buffer): bigint {
  const sizes = JSON.parse(`[${documents}]`) as { readonly sizeBytes: number }[];
  return sizes.reduce((sum, { sizeBytes }) => sum + BigInt(sizeBytes), 0n);
}
