import { create } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { floorDivide, isoTime, type Microseconds, microsPerSecond } from "./microseconds.ts";

/** The last microsecond at or before the time. */
export function microsAtOrBefore(time: Timestamp): Microseconds {
  return time.seconds * microsPerSecond + BigInt(Math.floor(time.nanos / 1000));
}

/** The first microsecond at or after the time. */
export function microsAtOrAfter(time: Timestamp): Microseconds {
  return time.seconds * microsPerSecond + BigInt(Math.ceil(time.nanos / 1000));
}

export function timestampOfMicros(micros: Microseconds): Timestamp {
  const { quotient: seconds, remainder } = floorDivide(micros, microsPerSecond);
  return create(TimestampSchema, { seconds, nanos: Number(remainder) * 1000 });
}

/** The last microsecond at or before the time, up to the year 9999, as the database reads it. */
export function isoAtOrBefore({ seconds, nanos }: Timestamp): string {
  return isoTime(Number(seconds), Math.floor(nanos / 1000));
}
