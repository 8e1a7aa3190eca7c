import { describe } from "@stowage/api/json/field-violations";
import type {
  ListUploadsRequest,
  TagsFilter,
} from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { readPath } from "../access/read-references.ts";
import { invalidField } from "../model/api-error.ts";
import { filterTextLengthMax, type NamePattern, searchPattern } from "../model/name-pattern.ts";
import { readFilterText, readText } from "../model/read-text.ts";
import { sortColumns, sortOrders, type TagQuery, type UploadQuery } from "../model/upload-query.ts";
import { readCreatedRange } from "./read-created-range.ts";

const pageSizeDefault = 50;
const pageSizeMax = 1000;
const tagsMax = 32;

/** The list that a request asks for. Throws `ApiError` FIELD_INVALID for the first fault. */
export function readUploadQuery(request: ListUploadsRequest): UploadQuery {
  return {
    path: request.path === undefined ? undefined : readPath("path", request.path),
    recursive: request.recursive,
    tags: readTags(request.tags),
    ...readCreatedRange(request),
    name: readSearch(request.search),
    sortBy: readOneOf("sortBy", request.sortBy ?? "created_at", sortColumns),
    sortOrder: readOneOf("sortOrder", request.sortOrder ?? "desc", sortOrders),
  };
}

/** The most uploads that a page may hold. */
export function readPageSize(pageSize: number): number {
  if (pageSize < 0 || pageSize > pageSizeMax) {
    throw invalidField(
      "pageSize",
      `is ${pageSize}; need 1 to ${pageSizeMax}, or 0 for the default`,
    );
  }
  return pageSize === 0 ? pageSizeDefault : pageSize;
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
  return searchPattern(readFilterText("search", search, filterTextLengthMax));
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
