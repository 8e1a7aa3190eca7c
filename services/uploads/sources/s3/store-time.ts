import type { Microseconds } from "../../model/microseconds.ts";

const isoTime =
  /^(\d{4}-\d\d-(\d\d))(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:(Z)|([+-]\d\d):?(\d\d))?)?$/i;

/**
 * A time as stores and Inventory reports write it, by ISO 8601. Without a time zone, it is in UTC,
 * whatever that of this process is. Returns undefined if there is no such time.
 */
export function microsOfTime(text: string): Microseconds | undefined {
  const [, date, day = "", time = "00:00", , hours, minutes] = isoTime.exec(text) ?? [];
  const zone = hours === undefined ? "Z" : `${hours}:${minutes}`;
  const dayExists = Number(day) <= 28 || dayOf(`${date}T00:00:00Z`) === Number(day);
  return dayExists ? microsOfDate(new Date(`${date}T${time}${zone}`)) : undefined;
}

/** Returns undefined if the date is invalid. */
export function microsOfDate(date: Date): Microseconds | undefined {
  const ms = date.getTime();
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1000n;
}

/** JavaScript takes February 30 for March 2. */
function dayOf(midnight: string): number {
  return new Date(midnight).getUTCDate();
}
