/** Reads the times of a list request. */
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { ListUploadsRequest } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { invalidField } from "../model/api-error.ts";
import { type Microseconds, microsOfMonth } from "../model/microseconds.ts";
import { microsAtOrAfter, microsAtOrBefore } from "../model/timestamps.ts";
import type { UploadQuery } from "../model/upload-query.ts";

type CreatedRange = Pick<UploadQuery, "createdFrom" | "createdTo">;

/** The intersection of the range of dates and the year or month. */
export function readCreatedRange(request: ListUploadsRequest): CreatedRange {
  const { dateFrom, dateTo } = request;
  requireTimes({ dateFrom, dateTo });
  const calendar = readCalendarRange(request);
  return {
    createdFrom: later(dateFrom && microsAtOrAfter(dateFrom), calendar.createdFrom),
    createdTo: earlier(dateTo && microsAtOrBefore(dateTo), calendar.createdTo),
  };
}

/** Throws `ApiError` FIELD_INVALID unless the two times are some, and the first is not later. */
export function requireTimes(times: Readonly<Record<string, Timestamp | undefined>>): void {
  for (const [field, time] of Object.entries(times)) requireTime(field, time);
  const [[fromField, from], [toField, to]] = Object.entries(times) as [Ends, Ends];
  if (from && to && isAfter(from, to)) {
    throw invalidField(fromField, `is after ${toField}; need a time at or before it`);
  }
}

type Ends = [field: string, time: Timestamp | undefined];

function readCalendarRange({ year, month }: ListUploadsRequest): CreatedRange {
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

// JSON cannot express a time outside this range; the binary encoding can.
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
