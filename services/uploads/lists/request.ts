import { describe } from "@stowage/api/json/field-violations";
import { everyNumber, intersection } from "@stowage/api/query/intervals";
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
import { asOfCursor } from "../model/cursor.ts";
import { type NamePattern, searchPattern } from "../model/name-pattern.ts";
import {
  sortColumns,
  sortOrders,
  type TagQuery,
  type UploadFilters,
  type UploadQuery,
} from "../model/upload-query.ts";
import { readFilters } from "./read-filters.ts";
import { readCreatedRange } from "./read-times.ts";

const tagsMax = 32;

/** A request in the form in which lists are read. */
interface ListRequest {
  readonly bucketName: BucketName;
  readonly query: UploadQuery;
  readonly pageSize: number;
  /** Empty for the first page. */
  readonly cursor: string;
  /** The time from which ages are counted; undefined if the query has none. */
  readonly asOfMicros: string | undefined;
}

/** Throws `ApiError` FIELD_INVALID for the first field that is invalid. */
export function readListRequest(request: ListUploadsRequest): ListRequest {
  const asOfMicros = asOfCursor(request.cursor) ?? BigInt(Date.now()) * 1000n;
  const read = readFilters(request, readTags(request.tags), asOfMicros);
  requireFewTags(read.tags);
  return {
    bucketName: readBucketRef(request.bucketRef),
    query: {
      path: request.path === undefined ? undefined : readPath("path", request.path),
      recursive: request.recursive,
      tags: read.tags,
      ...withCreated(readCreatedRange(request), read.filters),
      name: readSearch(request.search),
      sortBy: readOneOf("sortBy", request.sortBy ?? "created_at", sortColumns),
      sortOrder: readOneOf("sortOrder", request.sortOrder ?? "desc", sortOrders),
    },
    pageSize: readPageSize(request.pageSize),
    cursor: request.cursor,
    asOfMicros: read.dependsOnTime ? String(asOfMicros) : undefined,
  };
}

/** A single interval of creation times is the range of dates of the list. */
function withCreated(
  range: ReturnType<typeof readCreatedRange>,
  filters: UploadFilters | undefined,
): Pick<UploadQuery, "createdFrom" | "createdTo" | "filters"> {
  if (filters === undefined) return { ...range, filters };
  const created = intersection(filters.created, [{ from: range.createdFrom, to: range.createdTo }]);
  const [first] = created;
  const last = created.at(-1);
  if (first === undefined) return { ...range, filters: { ...filters, created } };
  return {
    createdFrom: first.from,
    createdTo: last?.to,
    filters: { ...filters, created: created.length === 1 ? everyNumber : created },
  };
}

function readTags(tags: TagsFilter | undefined): TagQuery {
  const { allOf = [], anyOf = [], noneOf = [] } = tags ?? {};
  for (const [member, list] of Object.entries({ allOf, anyOf, noneOf })) {
    for (const [index, tag] of list.entries()) readText(`tags.${member}[${index}]`, tag);
  }
  return { allOf, anyOf, noneOf };
}

function requireFewTags({ allOf, anyOf, noneOf }: TagQuery): void {
  const count = allOf.length + anyOf.length + noneOf.length;
  if (count <= tagsMax) return;
  throw invalidField("tags", `has ${count} tags; need at most ${tagsMax} in all`);
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
