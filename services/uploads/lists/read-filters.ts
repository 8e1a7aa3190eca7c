/** Reads `query` and the structured filters of a list into one form. */
import { foldName } from "@stowage/api/names/fold-name";
import {
  complement,
  type IntervalSet,
  intersection,
  isEveryNumber,
} from "@stowage/api/query/intervals";
import { dependsOnTime, type FilterPart, type QueryPart } from "@stowage/api/query/parse-query";
import { typeNames } from "@stowage/api/query/read-filter";
import type { ListUploadsRequest } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import type { TagQuery, UploadFilters } from "../model/upload-query.ts";
import {
  everyFolder,
  foldersOf,
  invalidQuery,
  narrowedFolders,
  readQuery,
  wordOf,
} from "../query/read-query.ts";
import { structuredFilters } from "./structured-filters.ts";

interface ReadFilters {
  /** Undefined if nothing is filtered. */
  readonly filters: UploadFilters | undefined;
  /** The tags of the request, and those of its query. */
  readonly tags: TagQuery;
  /** Whether the query has an age, so that its list depends on when it was asked for first. */
  readonly dependsOnTime: boolean;
}

/** Throws `ApiError` FIELD_INVALID for the first field or part of the query that is invalid. */
export function readFilters(
  request: ListUploadsRequest,
  tags: TagQuery,
  nowMicros: bigint,
): ReadFilters {
  const parts = readQuery(request.query ?? "", nowMicros);
  const read = parts.reduce<Read>(withPart, {
    filters: structuredFilters(request),
    tags,
  });
  const { filters } = read;
  return {
    filters: isFiltering(filters) ? inOrder(filters) : undefined,
    tags: read.tags,
    dependsOnTime: dependsOnTime(parts),
  };
}

type TextFilter = Extract<FilterPart, { values: readonly string[] }>;

interface Read {
  readonly filters: UploadFilters;
  readonly tags: TagQuery;
}

function withPart(read: Read, part: QueryPart): Read {
  const { filters, tags } = read;
  if (part.kind === "word") {
    return { ...read, filters: { ...filters, words: [...filters.words, wordOf(part)] } };
  }
  if (part.kind === "wrong") return read;
  if (part.name === "tag") return { ...read, tags: withTags(tags, part) };
  return { ...read, filters: { ...filters, ...changed(filters, part) } };
}

/** The members of the filters that a part of the query narrows. */
function changed(filters: UploadFilters, part: FilterPart): Partial<UploadFilters> {
  const { isExcluded } = part;
  switch (part.name) {
    case "size":
      return { sizes: narrowed(filters.sizes, part.intervals, isExcluded) };
    case "created":
      return { created: narrowed(filters.created, part.intervals, isExcluded) };
    case "changed":
      return { updated: narrowed(filters.updated, part.intervals, isExcluded) };
    case "type": {
      const given = part.values.map((value) => typeNumber(value));
      const all = filters.types ?? everyType;
      return { types: all.filter((type) => given.includes(type) !== isExcluded) };
    }
    case "ext": {
      const given = part.values.map((value) => foldName(value));
      if (isExcluded) return { extensionsExcluded: [...filters.extensionsExcluded, ...given] };
      return { extensions: commonExtensions(filters.extensions, given) };
    }
    case "in": {
      const given = foldersOf(part);
      return { folders: narrowedFolders(filters.folders ?? everyFolder, given, isExcluded) };
    }
    default:
      return {};
  }
}

const everyType = [0, ...typeNames.map(typeNumber)];

function typeNumber(name: string): number {
  return 1 + (typeNames as readonly string[]).indexOf(name);
}

function narrowed(set: IntervalSet, given: IntervalSet, isExcluded: boolean): IntervalSet {
  return intersection(set, isExcluded ? complement(given) : given);
}

/** Filenames that end with one of each list: `tar.gz` of `gz` and `tar.gz`. */
function commonExtensions(one: readonly string[] | undefined, other: readonly string[]): string[] {
  if (one === undefined) return [...other];
  const isEndOf = (end: string, whole: string) => end === whole || whole.endsWith(`.${end}`);
  return one.flatMap((a) =>
    other.flatMap((b) => {
      if (isEndOf(a, b)) return [b];
      return isEndOf(b, a) ? [a] : [];
    }),
  );
}

function withTags(tags: TagQuery, { values, isExcluded }: TextFilter): TagQuery {
  if (isExcluded) return { ...tags, noneOf: [...tags.noneOf, ...values] };
  const [first = ""] = values;
  if (values.length === 1) return { ...tags, allOf: [...tags.allOf, first] };
  if (tags.anyOf.length > 0) {
    throw invalidQuery("has a second choice of tags; need at most one tag: with several values");
  }
  return { ...tags, anyOf: values };
}

function isFiltering(filters: UploadFilters): boolean {
  const { words, folders, sizes, created, updated, types, extensions, extensionsExcluded } =
    filters;
  return (
    words.length + extensionsExcluded.length > 0 ||
    (folders ?? types ?? extensions) !== undefined ||
    ![sizes, created, updated].every(isEveryNumber)
  );
}

/** The same filters in one order, so that equal lists have equal cursors. */
function inOrder(filters: UploadFilters): UploadFilters {
  const { types, extensions, extensionsExcluded } = filters;
  return {
    ...filters,
    types: types && [...new Set(types)].toSorted((a, b) => a - b),
    extensions: extensions && [...new Set(extensions)].toSorted(),
    extensionsExcluded: [...new Set(extensionsExcluded)].toSorted(),
  };
}
