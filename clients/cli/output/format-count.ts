/** A number of things: `1 folder`, `12,345 folders`. */
export function formatCount(count: number | bigint, thing: string): string {
  return `${count.toLocaleString("en-GB")} ${thing}${Number(count) === 1 ? "" : "s"}`;
}
