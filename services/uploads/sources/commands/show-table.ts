/** Output of the commands: aligned columns, times, durations. */

/** Columns as wide as their widest cell; cells that are numbers are aligned to the right. */
export function tableOf(
  headings: readonly string[],
  lines: readonly (readonly string[])[],
): string {
  const all = [headings, ...lines];
  const widths = headings.map((_, at) => Math.max(...all.map((line) => (line[at] ?? "").length)));
  const isNumber = headings.map((_, at) => lines.every((line) => /^[\d,]+$/.test(line[at] ?? "0")));
  return all
    .map((line) =>
      line
        .map((cell, at) =>
          isNumber[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** `2026-11-22 21:30:05 UTC`; `-` if there is no time. */
export function timeText(time: Date | undefined): string {
  return time === undefined ? "-" : `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** `0.4 s`, `12 s`, `3 min`, `2 h`, `5 d` */
export function durationText(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}
