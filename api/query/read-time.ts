import { readComparison } from "./comparison.ts";
import type { Interval } from "./intervals.ts";

const microsPerHour = 3_600_000_000n;
const microsPerDay = 24n * microsPerHour;

const microsOfAge: Readonly<Record<string, bigint>> = {
  h: microsPerHour,
  d: microsPerDay,
  w: 7n * microsPerDay,
  m: 30n * microsPerDay,
  y: 365n * microsPerDay,
};

interface ReadTime {
  /** Microseconds since 1970. */
  readonly interval: Interval;
  /** Whether it is counted from the present. */
  readonly dependsOnNow: boolean;
}

/** A time as it is written: a span of the calendar, or an age. */
type Written = { readonly from: bigint; readonly to: bigint } | { readonly ageMicros: bigint };

/**
 * Times in UTC: a year, month, day or RFC 3339 time, `today`, `yesterday`, or an age such as `30d`
 * (`h`, `d`, `w`, `m`, `y`); with `>`, `>=`, `<`, `<=`, or two of them with `..`.
 */
export function readTime(text: string, nowMicros: bigint): ReadTime | undefined {
  let dependsOnNow = false;
  const comparison = readComparison<Written>(text.trim(), (value) => {
    const age = ageOf(value);
    const day = dayBefore[value.toLowerCase()];
    dependsOnNow ||= (age ?? day) !== undefined;
    if (day !== undefined) return dayOf(nowMicros - day * microsPerDay);
    return age ?? calendarSpan(value);
  });
  if (comparison === undefined) return undefined;
  const interval =
    comparison.operator === ".."
      ? between(comparison.from, comparison.to, nowMicros)
      : compared(comparison.operator, comparison.value, nowMicros);
  return interval && { interval, dependsOnNow };
}

const dayBefore: Readonly<Record<string, bigint>> = { today: 0n, yesterday: 1n };

function dayOf(micros: bigint): Written {
  const from = micros - (micros % microsPerDay);
  return { from, to: from + microsPerDay - 1n };
}

function ageOf(text: string): Written | undefined {
  const [, count = "", unit = ""] = /^(\d{1,5})([hdwmy])$/i.exec(text) ?? [];
  const micros = microsOfAge[unit.toLowerCase()];
  return micros === undefined ? undefined : { ageMicros: BigInt(count) * micros };
}

function compared(operator: ">" | ">=" | "<" | "<=" | "=", value: Written, now: bigint): Interval {
  if ("ageMicros" in value) {
    // A smaller age is a later time. An age alone is that age at most.
    const at = now - value.ageMicros;
    if (operator === ">") return { from: undefined, to: at - 1n };
    if (operator === ">=") return { from: undefined, to: at };
    return { from: operator === "<" ? at + 1n : at, to: undefined };
  }
  const { from, to } = value;
  switch (operator) {
    case ">":
      return { from: to + 1n, to: undefined };
    case ">=":
      return { from, to: undefined };
    case "<":
      return { from: undefined, to: from - 1n };
    case "<=":
      return { from: undefined, to };
    default:
      return { from, to };
  }
}

/** From the one to the other, in time or in age. */
function between(
  first: Written | undefined,
  last: Written | undefined,
  now: bigint,
): Interval | undefined {
  const isAges = [first, last].some((end) => end !== undefined && "ageMicros" in end);
  const [earlier, later] = isAges ? [last, first] : [first, last];
  const from = earlier && ("ageMicros" in earlier ? now - earlier.ageMicros : earlier.from);
  const to = later && ("ageMicros" in later ? now - later.ageMicros : later.to);
  return from !== undefined && to !== undefined && from > to ? undefined : { from, to };
}

const calendarPattern = new RegExp(
  "^(?<year>\\d{4})(?:-(?<month>\\d\\d)(?:-(?<day>\\d\\d)" +
    "(?:T(?<time>\\d\\d:\\d\\d:\\d\\d)(?:\\.(?<fraction>\\d{1,9}))?" +
    "(?<zone>Z|[+-]\\d\\d:\\d\\d))?)?)?$",
  "i",
);

function calendarSpan(text: string): Written | undefined {
  const { year, month, day, time, fraction = "", zone } = calendarPattern.exec(text)?.groups ?? {};
  if (year === undefined || year === "0000") return undefined;
  const date = `${year}-${month ?? "01"}-${day ?? "01"}`;
  if (!isDate(date)) return undefined;
  if (time !== undefined) {
    const ms = Date.parse(`${date}T${time}${zone?.toUpperCase()}`);
    if (Number.isNaN(ms)) return undefined;
    const micros = BigInt(ms) * 1000n + BigInt(fraction.slice(0, 6).padEnd(6, "0"));
    return { from: micros, to: micros };
  }
  const next = new Date(`${date}T00:00:00Z`);
  if (day !== undefined) next.setUTCDate(next.getUTCDate() + 1);
  else if (month !== undefined) next.setUTCMonth(next.getUTCMonth() + 1);
  else next.setUTCFullYear(next.getUTCFullYear() + 1);
  return { from: microsOf(Date.parse(`${date}T00:00:00Z`)), to: microsOf(next.getTime()) - 1n };
}

// `Date.parse` takes the 31st of February for a day in March.
function isDate(date: string): boolean {
  const ms = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
}

function microsOf(ms: number): bigint {
  return BigInt(ms) * 1000n;
}
