/** A folder path's limits, in a request and in the index. */
const pathBytesMax = 1024;
export const pathSegmentsMax = 512;

/** What is wrong with a path. The message says what was given and what is allowed. */
export class PathError extends Error {
  override readonly name = "PathError";
}

/**
 * Brings a folder path into its one form: absolute, separated by `/`, no `/` at the end; `/` is the
 * root, and so is the empty string. Throws `PathError` for empty, `.` and `..` segments, U+0000 and
 * paths over the limits. Names are kept byte for byte.
 */
export function normalisePath(given: string): string {
  if (given === "" || given === "/") return "/";
  const inner = given.replace(/^\//, "").replace(/\/$/, "");
  const path = `/${inner}`;
  const segments = inner.split("/");
  for (const segment of segments) {
    if (segment === "") throw new PathError("has an empty segment; need names between slashes");
    if (segment === "." || segment === "..") {
      throw new PathError(`has a segment "${segment}"; need a path without "." and ".." segments`);
    }
  }
  if (path.includes("\0")) throw new PathError("holds the character U+0000; need text without it");
  if (segments.length > pathSegmentsMax) {
    throw new PathError(`has ${segments.length} segments; need at most ${pathSegmentsMax}`);
  }
  const sizeBytes = Buffer.byteLength(path);
  if (sizeBytes > pathBytesMax) {
    throw new PathError(`is ${sizeBytes} bytes; need at most ${pathBytesMax}`);
  }
  return path;
}

/** The folder that holds the folder at `path`; none for the root. */
export function parentPath(path: string): string | undefined {
  if (path === "/") return undefined;
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** Every folder above `path`, the root first, `path` itself not included. */
export function ancestorPaths(path: string): string[] {
  const ancestors: string[] = [];
  for (let at = parentPath(path); at !== undefined; at = parentPath(at)) ancestors.push(at);
  return ancestors.reverse();
}
