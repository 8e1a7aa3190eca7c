import { create } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";

/** Microseconds since 1970-01-01T00:00:00Z: the precision of the index, kept without a `Date`. */
export type Microseconds = bigint;

const microsPerSecond = 1_000_000n;
const microsPerMs = 1000n;

/** The last microsecond at or before the time. */
export function microsAtOrBefore(time: Timestamp): Microseconds {
  return time.seconds * microsPerSecond + BigInt(Math.floor(time.nanos / 1000));
}

/** The first microsecond at or after the time. */
export function microsAtOrAfter(time: Timestamp): Microseconds {
  return time.seconds * microsPerSecond + BigInt(Math.ceil(time.nanos / 1000));
}

/** The last microsecond at or before the time, given in nanoseconds since 1970, in any year. */
export function microsOfNanos(nanos: bigint): Microseconds {
  const fraction = ((nanos % 1000n) + 1000n) % 1000n;
  return (nanos - fraction) / 1000n;
}

export function timestampOfMicros(micros: Microseconds): Timestamp {
  const fraction = ((micros % microsPerSecond) + microsPerSecond) % microsPerSecond;
  const seconds = (micros - fraction) / microsPerSecond;
  return create(TimestampSchema, { seconds, nanos: Number(fraction) * 1000 });
}

const microsMax = 253_402_300_799_999_999n;

/**
 * A time as the database reads it: RFC 3339 in UTC with six fraction digits. After the year 9999,
 * where a bound of the last microsecond is rounded to, it is `infinity`: later than every upload.
 */
export function isoOfMicros(micros: Microseconds): string {
  if (micros > microsMax) return "infinity";
  // Every file has two times, and each operation of bigints takes long.
  let milliseconds = Number(micros / microsPerMs);
  let fraction = Number(micros % microsPerMs);
  if (fraction < 0) {
    milliseconds -= 1;
    fraction += 1000;
  }
  const toTheMillisecond = new Date(milliseconds).toISOString();
  return `${toTheMillisecond.slice(0, -1)}${String(fraction).padStart(3, "0")}Z`;
}

/** The last microsecond at or before the time, up to the year 9999, as the database reads it. */
export function isoAtOrBefore({ seconds, nanos }: Timestamp): string {
  const toTheSecond = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return `${toTheSecond}.${String(Math.floor(nanos / 1000)).padStart(6, "0")}Z`;
}

/** The microsecond at which a UTC month begins; `month` counts from 1 and may be 13. */
export function microsOfMonth(year: number, month: number): Microseconds {
  const start = new Date(0);
  // Not Date.UTC, which takes years below 100 for years of the twentieth century.
  start.setUTCFullYear(year, month - 1, 1);
  return BigInt(start.getTime()) * 1000n;
}
