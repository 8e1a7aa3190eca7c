import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { describe } from "@stowage/api/json/field-violations";
import type {
  ListUploadsRequest,
  TagsFilter,
} from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import type { BucketName } from "../access/bucket-lookup.ts";
import {
  readBucketRef,
  readFilterText,
  readPageSize,
  readPath,
  readText,
} from "../access/request-fields.ts";
import { invalidField } from "../model/api-error.ts";
import { type Microseconds, microsOfMonth } from "../model/microseconds.ts";
import { type NamePattern, searchPattern } from "../model/name-pattern.ts";
import { microsAtOrAfter, microsAtOrBefore } from "../model/timestamps.ts";
import { sortColumns, sortOrders, type TagQuery, type UploadQuery } from "../model/upload-query.ts";

const tagsMax = 32;

/** A request in the form in which lists are read. */
interface ListRequest {
  readonly bucketName: BucketName;
  readonly query: UploadQuery;
  readonly pageSize: number;
  /** Empty for the first page. */
  readonly cursor: string;
}

/** Throws `ApiError` FIELD_INVALID for the first field that is invalid. */
export function readListRequest(request: ListUploadsRequest): ListRequest {
  return {
    bucketName: readBucketRef(request.bucketRef),
    query: {
      path: request.path === undefined ? undefined : readPath("path", request.path),
      recursive: request.recursive,
      tags: readTags(request.tags),
      ...readCreatedRange(request),
      name: readSearch(request.search),
      sortBy: readOneOf("sortBy", request.sortBy ?? "created_at", sortColumns),
      sortOrder: readOneOf("sortOrder", request.sortOrder ?? "desc", sortOrders),
    },
    pageSize: readPageSize(request.pageSize),
    cursor: request.cursor,
  };
}

function readTags(tags: TagsFilter | undefined): TagQuery {
  const { allOf = [], anyOf = [], noneOf = [] } = tags ?? {};
  const count = allOf.length + anyOf.length + noneOf.length;
  if (count > tagsMax)
    throw invalidField("tags", `has ${count} tags; need at most ${tagsMax} in all`);
  for (const [member, list] of Object.entries({ allOf, anyOf, noneOf })) {
    for (const [index, tag] of list.entries()) readText(`tags.${member}[${index}]`, tag);
  }
  return { allOf, anyOf, noneOf };
}

function readSearch(search: string | undefined): NamePattern | undefined {
  if (search === undefined || search === "") return undefined;
  return searchPattern(readFilterText("search", search));
}

function readOneOf<Value extends string>(
  field: string,
  given: string,
  allowed: readonly Value[],
): Value {
  const value = allowed.find((candidate) => candidate === given);
  if (value !== undefined) return value;
  throw invalidField(field, `is ${describe(given)}; need one of ${allowed.join(", ")}`);
}

type CreatedRange = Pick<UploadQuery, "createdFrom" | "createdTo">;

/** The intersection of the range of dates and the year or month. */
function readCreatedRange(request: ListUploadsRequest): CreatedRange {
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
