/** Counts, sizes, times and durations as people read them. */

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

/** RFC 3339 to the second: `2026-11-22T21:30:05Z`; `-` if there is no time. */
export function formatTime(time: Date | undefined): string {
  return time === undefined ? "-" : time.toISOString().replace(/\.\d+Z$/, "Z");
}

/** `0.4 s`, `12 s`, `3 min`, `2 h`, `5 d` */
export function formatDuration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}
