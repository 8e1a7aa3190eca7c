/** The rules of ListUploads, over plain arrays. */
import { type BucketRef, type Caller, visibilityIn } from "./caller.ts";
import { ModelError, type Upload } from "./messages.ts";
import { isWithin, normalisePath } from "./path.ts";
import type { Bucket } from "./records.ts";
import { compareCodePoints, fold, matchesPattern } from "./text.ts";
import { nanosecondsOf, startOfMonth } from "./time.ts";

export interface TagsFilter {
  allOf?: string[];
  anyOf?: string[];
  noneOf?: string[];
}

export interface ListUploadsRequest {
  bucketRef?: BucketRef | null;
  path?: string | null;
  recursive?: boolean;
  year?: number | null;
  month?: number | null;
  tags?: TagsFilter | null;
  dateFrom?: string | null;
  dateTo?: string | null;
  search?: string | null;
  sortBy?: string | null;
  sortOrder?: string | null;
  cursor?: string;
  pageSize?: number;
  /** The model does not know what a query means: services/uploads/lists/testing/matching.ts. */
  query?: string;
  includeCount?: boolean;
}

/** All uploads that the request lists, in order, without paging. */
export function listUploads(
  buckets: readonly Bucket[],
  caller: Caller,
  request: ListUploadsRequest,
): Upload[] {
  const { uploads } = visibilityIn(buckets, caller, request.bucketRef);
  return uploads
    .filter(inFolder(request))
    .filter(withTags(request.tags ?? {}))
    .filter(createdWithin(request))
    .filter(named(request.search ?? ""))
    .map(withKey(request.sortBy ?? "created_at"))
    .sort(inOrder(request.sortOrder ?? "desc"))
    .map(({ upload }) => upload);
}

type Rule = (upload: Upload) => boolean;

const always: Rule = () => true;

function inFolder(request: ListUploadsRequest): Rule {
  if (request.path === undefined || request.path === null) return always;
  const folder = normalisePath(request.path);
  if (request.recursive) return ({ path }) => isWithin(path, folder);
  return ({ path }) => path === folder;
}

function withTags({ allOf = [], anyOf = [], noneOf = [] }: TagsFilter): Rule {
  if (allOf.length + anyOf.length + noneOf.length > 32)
    throw new ModelError("invalid_argument", "tags");
  return ({ tags }) =>
    allOf.every((tag) => tags.includes(tag)) &&
    (anyOf.length === 0 || anyOf.some((tag) => tags.includes(tag))) &&
    !noneOf.some((tag) => tags.includes(tag));
}

function createdWithin({ dateFrom, dateTo, year, month }: ListUploadsRequest): Rule {
  const from = dateFrom ? nanosecondsOf(dateFrom) : undefined;
  const to = dateTo ? nanosecondsOf(dateTo) : undefined;
  if (from !== undefined && to !== undefined && from > to) {
    throw new ModelError("invalid_argument", "dateFrom after dateTo");
  }
  const inMonth = createdInMonth(year ?? undefined, month ?? undefined);
  return (upload) => {
    const created = nanosecondsOf(upload.createdAt);
    const isLate = to !== undefined && created > to;
    const isEarly = from !== undefined && created < from;
    return !isEarly && !isLate && inMonth(upload);
  };
}

function createdInMonth(year: number | undefined, month: number | undefined): Rule {
  if (year === undefined && month === undefined) return always;
  if (year === undefined) throw new ModelError("invalid_argument", "month without year");
  if (month !== undefined && (month < 1 || month > 12)) {
    throw new ModelError("invalid_argument", "month");
  }
  const start = startOfMonth(year, month ?? 1);
  const end = startOfMonth(year, (month ?? 12) + 1);
  return ({ createdAt }) => {
    const created = nanosecondsOf(createdAt);
    return created >= start && created < end;
  };
}

function named(search: string): Rule {
  if (search === "") return always;
  const wanted = fold(search);
  const matches = /[*?]/.test(search)
    ? (name: string) => matchesPattern(fold(name), wanted)
    : (name: string) => fold(name).includes(wanted);
  return ({ filename, slug }) => matches(filename) || matches(slug);
}

interface Keyed {
  upload: Upload;
  key: Key;
}

/** Text is compared by code point. */
type Key = number | bigint | string;

const keys: Record<string, (upload: Upload) => Key> = {
  created_at: (upload) => nanosecondsOf(upload.createdAt),
  updated_at: (upload) => nanosecondsOf(upload.updatedAt),
  filename: (upload) => upload.filename,
  size_bytes: (upload) => upload.sizeBytes,
  order: (upload) => upload.order,
};

function withKey(sortBy: string): (upload: Upload) => Keyed {
  const keyOf = Object.hasOwn(keys, sortBy) ? keys[sortBy] : undefined;
  if (!keyOf) throw new ModelError("invalid_argument", "sortBy");
  return (upload) => ({ upload, key: keyOf(upload) });
}

function inOrder(sortOrder: string): (left: Keyed, right: Keyed) => number {
  if (!["asc", "desc"].includes(sortOrder)) throw new ModelError("invalid_argument", "sortOrder");
  const direction = sortOrder === "asc" ? 1 : -1;
  return (left, right) =>
    direction *
    (compareKeys(left.key, right.key) ||
      compareCodePoints(left.upload.uploadId, right.upload.uploadId));
}

function compareKeys(left: Key, right: Key): number {
  if (typeof left === "string" || typeof right === "string") {
    return compareCodePoints(String(left), String(right));
  }
  return Number(left > right) - Number(left < right);
}
