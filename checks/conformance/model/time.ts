/** Times as whole nanoseconds since 1970, without rounding. */

const form = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** Reads an RFC 3339 time. */
export function nanosecondsOf(text: string): bigint {
  const [, seconds, fraction = "", offset] = form.exec(text) ?? [];
  if (seconds === undefined) throw new Error(`Cannot read time: got ${text}, need RFC 3339`);
  const milliseconds = Date.parse(`${seconds}${offset}`);
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}

/** The form of answers: UTC, to the microsecond, with 0, 3 or 6 digits as needed. */
export function writeTime(nanoseconds: bigint): string {
  const second = 1_000_000_000n;
  const rest = ((nanoseconds % second) + second) % second;
  const seconds = new Date(Number((nanoseconds - rest) / 1_000_000n)).toISOString().slice(0, 19);
  const digits = rest.toString().padStart(9, "0").slice(0, 6);
  if (digits === "000000") return `${seconds}Z`;
  return `${seconds}.${digits.endsWith("000") ? digits.slice(0, 3) : digits}Z`;
}

/** The first nanosecond of a month of UTC; month 13 is the first of the next year. */
export function startOfMonth(year: number, month: number): bigint {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, 1);
  return BigInt(date.getTime()) * 1_000_000n;
}
