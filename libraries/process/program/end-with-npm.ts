/**
 * Ends a program with the npm that started it, as in `npx node services/uploads/main.ts`. npm
 * forwards SIGTERM only to its shell, which ends without forwarding it, and when npm is killed, no
 * signal reaches the program.
 */
import { readFileSync } from "node:fs";

const pollMs = 250;

/** Calls `onEnd` once, when npm has ended. Does nothing in a process that npm did not start. */
export function whenNpmEnds(onEnd: () => void): void {
  const parent = process.ppid;
  // The parent itself, or that of the shell that is the parent.
  const npm = [parent, parentOf(parent)].find(isNpm);
  if (npm === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === parent && isNpm(npm)) return;
    clearInterval(timer);
    onEnd();
  }, pollMs);
  timer.unref();
}

function parentOf(processId: number): number {
  return Number(/^PPid:\s*(\d+)$/m.exec(read(`/proc/${processId}/status`))?.[1]);
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
