/** Output of the commands: times and durations. */

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
