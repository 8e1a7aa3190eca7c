/** Formats values for a terminal. */
import { printable } from "@stowage/process/usage";

/**
 * Escapes a name like `printable`, and backslashes as `\\`: otherwise, a tab in a name and the
 * two characters `\t` would look the same.
 */
export function escapeName(name: string): string {
  return printable(name.replaceAll("\\", "\\\\"));
}

/** The part of a command's help that says how `escapeName` shows names. */
export const namesHelp = `
In names, control characters are shown as \\n, \\t or \\u{1b}, and a backslash as \\\\; --json has
names as they are.
`;

/** A number of things: `1 folder`, `12,345 folders`. */
export function formatCount(count: number | bigint, thing: string): string {
  return `${count.toLocaleString("en-GB")} ${thing}${Number(count) === 1 ? "" : "s"}`;
}

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** A size for people: `512 B`, `9.8 KiB`, `314 MiB`; at most 8 characters. */
export function formatSize(sizeBytes: bigint): string {
  let value = Number(sizeBytes);
  let unit = 0;
  // A value that would round to 1024 is shown in the next unit.
  while (Math.round(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const shown = unit > 0 && value < 9.95 ? value.toFixed(1) : value.toFixed(0);
  return `${shown} ${units[unit]}`;
}
