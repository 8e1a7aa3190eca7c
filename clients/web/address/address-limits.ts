/** What the service accepts in a request. The page says what is wrong before it asks. */
import { queryLengthMax } from "@stowage/api/query/parse-query";

/** Of a text to filter by, in code points. */
export const textLengthMax = 256;
const pathBytesMax = 1024;
const pathSegmentsMax = 512;

/** Whether a text to filter by is short enough. */
export function isShortText(text: string): boolean {
  return isWithin(textLengthMax, text);
}

/** Whether a query is short enough. */
export function isShortQuery(query: string): boolean {
  return isWithin(queryLengthMax, query);
}

function isWithin(lengthMax: number, text: string): boolean {
  return Array.from(text).length <= lengthMax;
}

/** The path with one `/` before each name and none at the end. Undefined if it cannot be a path. */
export function folderPathOf(text: string): string | undefined {
  const path = `/${text.replace(/^\//, "").replace(/\/$/, "")}`;
  if (path === "/") return path;
  const segments = path.slice(1).split("/");
  const isTooLong =
    segments.length > pathSegmentsMax || new TextEncoder().encode(path).length > pathBytesMax;
  const hasWrongName = segments.some((name) => ["", ".", ".."].includes(name));
  return isTooLong || hasWrongName || path.includes("\0") ? undefined : path;
}
