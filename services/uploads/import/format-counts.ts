/** Counts and sizes as people read them. */

/** `12,345` */
export function formatCount(count: number): string {
  return count.toLocaleString("en-GB");
}

/** `1 upload`, `12,345 uploads` */
export function formatThings(count: number, one: string, several = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : several}`;
}

/** `512 B`, `9.8 KiB`, `314 MiB` */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // A value that would round to 1024 is shown in the next unit.
  while (Math.round(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(unit > 0 && value < 9.95 ? 1 : 0)} ${units[unit]}`;
}

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
