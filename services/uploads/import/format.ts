/** A number as people write it: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-GB");
}

/** A number of things: `1 upload`, `12,345 uploads`. */
export function formatThings(count: number, one: string, several = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : several}`;
}

/** A list as people write it: `a, b and c`. */
export function formatList(parts: readonly string[]): string {
  const last = parts.slice(-1);
  const others = parts.slice(0, -1).join(", ");
  return (others === "" ? last : [others, ...last]).join(" and ");
}
