interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Throws a RangeError when there are no values. */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new RangeError("Cannot compute the spread of no values");
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  const median = (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}

export function meanOf(values: ArrayLike<number>): number {
  return Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;
}

/** The smallest value that `percentile` % of the values do not exceed. */
export function percentileOf(values: ArrayLike<number>, percentile: number): number {
  if (values.length === 0) throw new RangeError("Cannot compute a percentile of no values");
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil((percentile / 100) * sorted.length) - 1)]!;
}
