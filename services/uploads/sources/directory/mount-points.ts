/**
 * The mount points that a directory depends on. Where a file system is no longer mounted, there
 * seems to be an empty directory.
 */
import { readFile } from "node:fs/promises";
import { keyOfBytes } from "../keys.ts";
import type { LeftOut } from "../lister.ts";
import { checkMount } from "./key-order-walk.ts";

/** Absolute paths. */
export interface MountPoints {
  /** The one that the directory is on, unless that is `/`, and those under it. */
  found: readonly string[];
  /** Those under it that were there in an earlier run. */
  missing: readonly string[];
}

/**
 * @param root the path of the directory without symbolic links.
 * @param known what was found earlier.
 * @throws Error if the directory itself is no longer on the file system that it was on.
 */
export async function findMountPoints(
  root: string,
  known: readonly string[],
): Promise<MountPoints> {
  const all = await readMountPoints();
  const above = all
    .filter((point) => isIn(root, point))
    .toSorted(byLength)
    .at(-1);
  const under = all.filter((point) => point !== root && isIn(point, root));
  const found = [...(above === undefined || above === "/" ? [] : [above]), ...under];
  const missing = known.filter((point) => !all.includes(point));
  const lost = missing.find((point) => isIn(root, point));
  if (lost !== undefined) {
    throw new Error(`nothing is mounted at ${lost} any more: ${checkMount}`);
  }
  return { found, missing: missing.filter((point) => isIn(point, root)) };
}

/** What a listing says of a mount point that is missing: all under it stays. */
export function leftOutAt(point: string, root: string): LeftOut {
  const key = point.slice(root === "/" ? 1 : root.length + 1);
  return {
    key: keyOfBytes(Buffer.from(`${key}/`)),
    reason: "nothing is mounted there any more",
    isUnreadable: true,
  };
}

function isIn(path: string, folder: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}

const byLength = (a: string, b: string) => a.length - b.length;

/** See proc_pid_mountinfo(5). Other systems than Linux have no such file. */
async function readMountPoints(): Promise<readonly string[]> {
  const text = await readFile("/proc/self/mountinfo", "latin1").catch(() => "");
  const points = text.split("\n").map((line) => line.split(" ")[4]);
  return points.filter((point) => point !== undefined).map(withoutEscapes);
}

/** Space, tab, line feed and backslash are written as `\ooo`. */
function withoutEscapes(point: string): string {
  const bytes = point.replace(/\\([0-7]{3})/g, (_, octal) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return Buffer.from(bytes, "latin1").toString();
}
