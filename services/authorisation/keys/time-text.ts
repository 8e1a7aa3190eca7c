/** A Unix time in milliseconds as people and programs read it, to the second. */
export function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+Z$/, "Z");
}
