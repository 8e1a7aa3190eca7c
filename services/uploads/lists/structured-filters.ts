/** Reads the filters of a list that have fields of their own. */
import { describe } from "@stowage/api/json/field-violations";
import { foldName } from "@stowage/api/names/fold-name";
import { everyNumber, type IntervalSet } from "@stowage/api/query/intervals";
import { typeNames } from "@stowage/api/query/read-filter";
import type { ListUploadsRequest } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { readText } from "../access/request-fields.ts";
import { invalidField } from "../model/api-error.ts";
import { microsAtOrAfter, microsAtOrBefore } from "../model/timestamps.ts";
import type { UploadFilters } from "../model/upload-query.ts";
import { requireTimes } from "./read-times.ts";

/** Most values of each. */
const valuesMax = 32;

/** Throws `ApiError` FIELD_INVALID for the first field that is invalid. */
export function structuredFilters(request: ListUploadsRequest): UploadFilters {
  return {
    words: [],
    folders: undefined,
    sizes: readSizes(request),
    created: everyNumber,
    updated: readUpdated(request),
    types: readTypes(request),
    extensions: readExtensions(request),
    extensionsExcluded: [],
  };
}

function readSizes({ sizeFrom: from, sizeTo: to }: ListUploadsRequest): IntervalSet {
  if (from < 0n) throw invalidField("sizeFrom", `is ${from}; need a number of bytes`);
  if (to !== undefined && to < from) {
    throw invalidField("sizeTo", `is ${to}; need sizeFrom or more`);
  }
  return from === 0n && to === undefined ? everyNumber : [{ from, to }];
}

function readUpdated({ updatedFrom, updatedTo }: ListUploadsRequest): IntervalSet {
  requireTimes({ updatedFrom, updatedTo });
  if ((updatedFrom ?? updatedTo) === undefined) return everyNumber;
  const from = updatedFrom && microsAtOrAfter(updatedFrom);
  return [{ from, to: updatedTo && microsAtOrBefore(updatedTo) }];
}

function readTypes({ types }: ListUploadsRequest): readonly number[] | undefined {
  requireFew("types", types);
  for (const [index, type] of types.entries()) {
    if (type >= 0 && type <= typeNames.length) continue;
    throw invalidField(`types[${index}]`, `is ${type}; need a type of uploads`);
  }
  return types.length === 0 ? undefined : types;
}

function readExtensions({ extensions }: ListUploadsRequest): readonly string[] | undefined {
  requireFew("extensions", extensions);
  for (const [index, extension] of extensions.entries()) {
    const field = `extensions[${index}]`;
    if (readText(field, extension) !== "" && !extension.startsWith(".")) continue;
    throw invalidField(field, `is ${describe(extension)}; need one without a dot before it`);
  }
  return extensions.length === 0 ? undefined : extensions.map(foldName);
}

function requireFew(field: string, { length }: readonly unknown[]): void {
  if (length > valuesMax) {
    throw invalidField(field, `has ${length} values; need at most ${valuesMax}`);
  }
}
