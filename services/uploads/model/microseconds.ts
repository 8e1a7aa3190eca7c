/** Microseconds since 1970-01-01T00:00:00Z: the precision of the index, kept without a `Date`. */
export type Microseconds = bigint;

export const microsPerSecond = 1_000_000n;

/** The last microsecond at or before the time, given in nanoseconds since 1970, in any year. */
export function microsOfNanos(nanos: bigint): Microseconds {
  return floorDivide(nanos, 1000n).quotient;
}

export function floorDivide(value: bigint, by: bigint): { quotient: bigint; remainder: bigint } {
  const remainder = ((value % by) + by) % by;
  return { quotient: (value - remainder) / by, remainder };
}

const microsMin = -62_135_596_800_000_000n;
const microsMax = 253_402_300_799_999_999n;

/** Whether the time is in the years 1 to 9999: the index cannot hold others. */
export function canBeIndexed(micros: Microseconds): boolean {
  return micros >= microsMin && micros <= microsMax;
}

/**
 * A time as the database reads it: RFC 3339 in UTC with six fraction digits. After the year 9999,
 * where a bound of the last microsecond is rounded to, it is `infinity`: later than every upload.
 */
export function isoOfMicros(micros: Microseconds): string {
  if (micros > microsMax) return "infinity";
  const { quotient, remainder } = floorDivide(micros, microsPerSecond);
  return isoTime(Number(quotient), Number(remainder));
}

const secondsPerDay = 24 * 60 * 60;

/**
 * A time in the years 1 to 9999, as RFC 3339 writes it in UTC. Every file has two, and
 * `toISOString` takes three times as long.
 */
export function isoTime(seconds: number, micros: number): string {
  const day = Math.floor(seconds / secondsPerDay);
  const second = seconds - day * secondsPerDay;
  const minute = Math.floor(second / 60);
  const time = `${digits(Math.floor(minute / 60))}:${digits(minute % 60)}:${digits(second % 60)}`;
  return `${isoDate(day)}T${time}.${String(micros).padStart(6, "0")}Z`;
}

function digits(number: number): string {
  return number < 10 ? `0${number}` : `${number}`;
}

const rememberedDays = new Map<number, string>();
const rememberedDaysMax = 10_000;

function isoDate(day: number): string {
  const known = rememberedDays.get(day);
  if (known !== undefined) return known;
  const date = new Date(day * secondsPerDay * 1000).toISOString().slice(0, 10);
  if (rememberedDays.size === rememberedDaysMax) rememberedDays.clear();
  rememberedDays.set(day, date);
  return date;
}

/** The microsecond at which a UTC month begins; `month` counts from 1 and may be 13. */
export function microsOfMonth(year: number, month: number): Microseconds {
  const start = new Date(0);
  // Not Date.UTC, which takes years below 100 for years of the twentieth century.
  start.setUTCFullYear(year, month - 1, 1);
  return BigInt(start.getTime()) * 1000n;
}
