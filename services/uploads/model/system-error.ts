import { getSystemErrorMap } from "node:util";

/** The system's error in words and as a code: `permission denied (EACCES)`. */
export function systemErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { errno, code } = error as NodeJS.ErrnoException;
  const known = errno === undefined ? undefined : getSystemErrorMap().get(errno);
  return known === undefined ? error.message : `${known[1]} (${code})`;
}
