export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Throws a RangeError when there are no values. */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new RangeError("Cannot tell the spread of no values");
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  const median = (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}

/** Of two series taken side by side: what one was for each of the other. */
export function ratiosOf(series: readonly number[], others: readonly number[]): number[] {
  if (series.length !== others.length) {
    throw new RangeError(`Cannot compare ${series.length} values with ${others.length}`);
  }
  return series.map((value, index) => value / others[index]!);
}

/** The least value that so many of a hundred do not exceed. Throws when there are no values. */
export function percentileOf(values: readonly number[], percentile: number): number {
  if (values.length === 0) throw new RangeError("Cannot tell a percentile of no values");
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil((percentile / 100) * sorted.length) - 1)]!;
}
