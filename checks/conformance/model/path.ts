/** Folder paths: absolute, compared exactly; the root is `/`. */
import { ModelError } from "./messages.ts";

/** Normalises the path of a request: a missing leading and one trailing `/` are accepted. */
export function normalisePath(text: string): string {
  const path = text === "/" ? "/" : `/${text.replace(/^\//, "").replace(/\/$/, "")}`;
  if (!isFolderPath(path)) throw new ModelError("invalid_argument", "path");
  return path;
}

/** Whether this is the normalised path of a possible folder. */
export function isFolderPath(path: unknown): path is string {
  if (path === "/") return true;
  if (typeof path !== "string" || !path.startsWith("/") || path.includes("\0")) return false;
  const segments = path.slice(1).split("/");
  if (segments.some((segment) => ["", ".", ".."].includes(segment))) return false;
  return Buffer.byteLength(path) <= 1024 && segments.length <= 512;
}

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** The path and its ancestors, from the path up, without the root. */
export function withAncestors(path: string): string[] {
  const paths: string[] = [];
  for (let each = path; each !== "/"; each = parentOf(each)) paths.push(each);
  return paths;
}

/** Whether `path` is `folder` or a descendant of it. */
export function isWithin(path: string, folder: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}
