/**
 * Ends a process with the npm that started it. npm forwards SIGTERM only to its shell, which ends
 * without forwarding it, and when npm is killed, no signal reaches the process.
 *
 * `@stowage/process`, which clients may not import, has a copy.
 */
import { readFileSync } from "node:fs";

const pollMs = 250;

/** Calls `onEnd` once, when npm has ended. Does nothing in a process that npm did not start. */
export function whenNpmEnds(onEnd: () => void): void {
  const ancestors = npmAncestors();
  if (ancestors === undefined) return;
  const timer = setInterval(() => {
    if (processIdsAbove(ancestors.length).join() === ancestors.join()) return;
    clearInterval(timer);
    onEnd();
  }, pollMs);
  timer.unref();
}

/** npm, or its shell and npm; undefined if neither the parent nor its parent is npm. */
function npmAncestors(): readonly number[] | undefined {
  const [parent = 0, itsParent = 0] = processIdsAbove(2);
  if (isNpm(parent)) return [parent];
  return isNpm(itsParent) ? [parent, itsParent] : undefined;
}

/** The parent and the grandparent. The system replaces one that has ended, for example by 1. */
function processIdsAbove(count: number): readonly number[] {
  const parent = process.ppid;
  return [parent, parentOf(parent)].slice(0, count);
}

function parentOf(processId: number): number {
  const status = read(`/proc/${processId}/stat`);
  // The command's name is in parentheses and may itself contain parentheses and spaces.
  return Number(status.slice(status.lastIndexOf(")") + 2).split(" ")[1]);
}

/** npm sets its title, `npm exec …`. */
function isNpm(processId: number): boolean {
  return /^npm /.test(read(`/proc/${processId}/cmdline`));
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
