import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { invalidField } from "../model/api-error.ts";
import {
  type Microseconds,
  microsAtOrAfter,
  microsAtOrBefore,
  microsOfMonth,
} from "../model/timestamps.ts";

/** Bounds of `createdAt`, both inclusive. */
export interface CreatedRange {
  readonly createdFrom: Microseconds | undefined;
  readonly createdTo: Microseconds | undefined;
}

/** What a request says of creation times. */
interface CreatedFields {
  dateFrom?: Timestamp | undefined;
  dateTo?: Timestamp | undefined;
  year?: number | undefined;
  month?: number | undefined;
}

/** The time range of a request: the dates' and the year's or month's, both where both are given. */
export function readCreatedRange(request: CreatedFields): CreatedRange {
  const { dateFrom, dateTo } = request;
  requireTime("dateFrom", dateFrom);
  requireTime("dateTo", dateTo);
  if (dateFrom && dateTo && isAfter(dateFrom, dateTo)) {
    throw invalidField("dateFrom", "is after dateTo; need a time at or before it");
  }
  const calendar = readCalendarRange(request);
  return {
    createdFrom: later(dateFrom && microsAtOrAfter(dateFrom), calendar.createdFrom),
    createdTo: earlier(dateTo && microsAtOrBefore(dateTo), calendar.createdTo),
  };
}

function readCalendarRange({ year, month }: CreatedFields): CreatedRange {
  if (month !== undefined && (month < 1 || month > 12)) {
    throw invalidField("month", `is ${month}; need 1 to 12`);
  }
  if (year === undefined) {
    if (month === undefined) return { createdFrom: undefined, createdTo: undefined };
    throw invalidField("month", "is given without year; need both, or year alone");
  }
  if (year < 1 || year > 9999) throw invalidField("year", `is ${year}; need 1 to 9999`);
  return {
    createdFrom: microsOfMonth(year, month ?? 1),
    createdTo: microsOfMonth(year, (month ?? 12) + 1) - 1n,
  };
}

// The seconds of 0001-01-01T00:00:00Z and of 9999-12-31T23:59:59Z.
const secondsMin = -62_135_596_800n;
const secondsMax = 253_402_300_799n;

// JSON cannot say a time outside the range; the binary form can.
function requireTime(field: string, time: Timestamp | undefined): void {
  if (time === undefined) return;
  const { seconds, nanos } = time;
  if (seconds < secondsMin || seconds > secondsMax || nanos < 0 || nanos > 999_999_999) {
    throw invalidField(field, "is out of range; need a time in the years 1 to 9999");
  }
}

function isAfter(a: Timestamp, b: Timestamp): boolean {
  return a.seconds === b.seconds ? a.nanos > b.nanos : a.seconds > b.seconds;
}

function later(a: Microseconds | undefined, b: Microseconds | undefined) {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}

function earlier(a: Microseconds | undefined, b: Microseconds | undefined) {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}
