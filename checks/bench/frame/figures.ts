/** How figures are written. */
import type { Spread } from "./statistics.ts";

export function wholeNumber(value: number): string {
  return Math.round(value).toLocaleString("en-GB");
}

/** Three digits that count, and all before the point. */
export function threeDigits(value: number): string {
  return Math.abs(value) >= 100 ? wholeNumber(value) : value.toPrecision(3);
}

/** The median, and the least and most of all rounds. */
export function withSpread({ median, min, max }: Spread): string {
  return `${threeDigits(median)} (${threeDigits(min)}–${threeDigits(max)})`;
}
