import { readComparison } from "./comparison.ts";
import type { Interval } from "./intervals.ts";

const units = ["", "k", "m", "g", "t", "p"];

/** Sizes in bytes: `>100MB`, `1k..10k`, `512`. Units of 1000, or of 1024 with an `i`. */
export function readSize(text: string): Interval | undefined {
  const comparison = readComparison(text.replaceAll(" ", ""), bytesOf);
  if (comparison === undefined) return undefined;
  if (comparison.operator === "..") {
    const { from, to } = comparison;
    if (from !== undefined && to !== undefined && from > to) return undefined;
    return {
      from: from === undefined ? undefined : BigInt(Math.ceil(from)),
      to: to === undefined ? undefined : BigInt(Math.floor(to)),
    };
  }
  const { operator, value } = comparison;
  const [floor, ceiling] = [BigInt(Math.floor(value)), BigInt(Math.ceil(value))];
  switch (operator) {
    case ">":
      return { from: floor + 1n, to: undefined };
    case ">=":
      return { from: ceiling, to: undefined };
    case "<":
      return { from: undefined, to: ceiling - 1n };
    case "<=":
      return { from: undefined, to: floor };
    default:
      return { from: ceiling, to: floor };
  }
}

function bytesOf(text: string): number | undefined {
  const [, digits, unit = "", binary] =
    /^(\d{1,15}(?:\.\d{1,6})?)([kmgtp]?)(i?)b?$/i.exec(text) ?? [];
  if (digits === undefined || (binary !== "" && unit === "")) return undefined;
  const bytes = Number(digits) * (binary === "" ? 1000 : 1024) ** units.indexOf(unit.toLowerCase());
  return bytes <= Number.MAX_SAFE_INTEGER ? bytes : undefined;
}
