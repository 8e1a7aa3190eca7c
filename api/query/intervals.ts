/** Sets of whole numbers, as intervals: sizes in bytes, and times in microseconds. */

/** From one number to another, both inclusive. Undefined: without an end. */
export interface Interval {
  readonly from: bigint | undefined;
  readonly to: bigint | undefined;
}

/** Disjoint intervals in ascending order, with numbers between them. */
export type IntervalSet = readonly Interval[];

export const everyNumber: IntervalSet = [{ from: undefined, to: undefined }];

/** Whether all numbers are in the set. */
export function isEveryNumber(set: IntervalSet): boolean {
  return set.length === 1 && set[0]?.from === undefined && set[0]?.to === undefined;
}

/** The set of what is in any of the intervals. */
export function union(intervals: readonly Interval[]): IntervalSet {
  const merged: Interval[] = [];
  for (const interval of intervals.filter((each) => !isEmpty(each)).sort(byStart)) {
    const last = merged.at(-1);
    const touches =
      last !== undefined && (last.to === undefined || startsBy(interval, last.to + 1n));
    if (touches)
      merged[merged.length - 1] = { from: last.from, to: laterEnd(last.to, interval.to) };
    else merged.push(interval);
  }
  return merged;
}

/** The set of what is in both sets. */
export function intersection(one: IntervalSet, other: IntervalSet): IntervalSet {
  return union(
    one.flatMap((a) =>
      other.map((b) => ({ from: laterStart(a.from, b.from), to: earlierEnd(a.to, b.to) })),
    ),
  );
}

/** The set of what is not in the set. */
export function complement(set: IntervalSet): IntervalSet {
  return set.reduce<IntervalSet>((rest, { from, to }) => {
    const sides: Interval[] = [];
    if (from !== undefined) sides.push({ from: undefined, to: from - 1n });
    if (to !== undefined) sides.push({ from: to + 1n, to: undefined });
    return intersection(rest, sides);
  }, everyNumber);
}

/** Whether a number is in the set. */
export function contains(set: IntervalSet, number: bigint): boolean {
  return set.some(({ from, to }) => (from ?? number) <= number && number <= (to ?? number));
}

function isEmpty({ from, to }: Interval): boolean {
  return from !== undefined && to !== undefined && from > to;
}

function startsBy({ from }: Interval, limit: bigint): boolean {
  return from === undefined || from <= limit;
}

function byStart(a: Interval, b: Interval): number {
  if (a.from === b.from) return 0;
  return a.from === undefined || (b.from !== undefined && a.from < b.from) ? -1 : 1;
}

function laterStart(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}

function earlierEnd(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}

function laterEnd(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined || b === undefined) return undefined;
  return a > b ? a : b;
}
