/** What the service accepts in a request. The page says what is wrong before it asks. */

/** Of a text to search or filter by, in code points. */
export const textLengthMax = 256;
export const tagsMax = 32;
const pathBytesMax = 1024;
const pathSegmentsMax = 512;

/** Whether a text to search or filter by is short enough. */
export function isShortText(text: string): boolean {
  return Array.from(text).length <= textLengthMax;
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
