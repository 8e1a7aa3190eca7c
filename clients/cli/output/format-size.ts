const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** A size as people read it: `512 B`, `9.8 KiB`, `314 MiB`; at most 8 characters. */
export function formatSize(sizeBytes: bigint): string {
  let value = Number(sizeBytes);
  let unit = 0;
  // What would be shown as 1024 is one of the next unit.
  while (Math.round(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const shown = unit > 0 && value < 9.95 ? value.toFixed(1) : value.toFixed(0);
  return `${shown} ${units[unit]}`;
}
