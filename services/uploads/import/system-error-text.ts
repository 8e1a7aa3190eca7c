import { getSystemErrorMap } from "node:util";

/** What the system said, in words and as a code: `permission denied (EACCES)`. */
export function systemErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { errno, code } = error as NodeJS.ErrnoException;
  const known = errno === undefined ? undefined : getSystemErrorMap().get(errno);
  return known === undefined ? error.message : `${known[1]} (${code})`;
}

/** Whether an error says that there is no such file. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === "ENOENT";
}
