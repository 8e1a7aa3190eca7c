/** Folder paths: absolute, compared as they are, the root is `/`. */
import { ModelError } from "./messages.ts";

/** A request's path in its one form; a missing leading and one trailing `/` are forgiven. */
export function normalisePath(text: string): string {
  const path = text === "/" ? "/" : `/${text.replace(/^\//, "").replace(/\/$/, "")}`;
  if (!isFolderPath(path)) throw new ModelError("invalid_argument", "path");
  return path;
}

/** Whether a folder can have this path, in its one form. */
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

/** The path and all above it, from the path up, without the root. */
export function withAncestors(path: string): string[] {
  const paths: string[] = [];
  for (let each = path; each !== "/"; each = parentOf(each)) paths.push(each);
  return paths;
}

/** Whether `path` is `folder` or lies under it: by whole segments. */
export function isWithin(path: string, folder: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}
