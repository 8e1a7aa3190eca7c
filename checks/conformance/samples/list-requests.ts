/** Requests of ListUploads, generated from the records that they query. */
import fc from "fast-check";
import type { ListUploadsRequest, TagsFilter } from "../model/list-uploads.ts";
import type { Upload } from "../model/messages.ts";
import type { Bucket } from "../model/records.ts";
import { names, patternFor, typedPartOf } from "./names.ts";
import { fullestFolders, tags } from "./random-bucket.ts";

const sortFields = ["created_at", "updated_at", "filename", "size_bytes", "order"];
const sortOrders = ["asc", "desc"];

/** Every sort in both directions. */
export const sorts: readonly ListUploadsRequest[] = sortFields.flatMap((sortBy) =>
  sortOrders.map((sortOrder) => ({ sortBy, sortOrder })),
);

/** Every single filter: its name, and its members of the request. */
export function singleFilters(bucket: Bucket): Record<string, ListUploadsRequest> {
  const [fullest = "/", second = "/"] = fullestFolders(bucket.uploads, bucket.folders);
  return {
    "path of a folder": { path: fullest },
    "path of the root": { path: "/" },
    "path and below": { path: second, recursive: true },
    "tags allOf": { tags: { allOf: ["red", "a b"] } },
    "tags anyOf": { tags: { anyOf: ["Red", "re\u0301d", "%"] } },
    "tags noneOf": { tags: { noneOf: ["red", "100%"] } },
    "tags of all three": { tags: { allOf: ["%"], anyOf: ["red", "a b"], noneOf: ["Red"] } },
    dateFrom: { dateFrom: "2025-02-28T23:59:59.999995Z" },
    dateTo: { dateTo: "2025-06-15T12:00:00.123454Z" },
    "dateFrom a nanosecond late": { dateFrom: "2025-01-01T00:00:00.000003001Z" },
    "dateTo a nanosecond late": { dateTo: "2025-01-01T00:00:00.000003001Z" },
    year: { year: 2025 },
    "year and month": { year: 2025, month: 2 },
    "search in the middle": { search: "a" },
    "search in another case": { search: "CAF\u00c9" },
    "search of a sigma": { search: "\u03c3" },
    "search of a prefix": { search: "A*" },
    "search of a suffix": { search: "*.pdf" },
    "search of one code point": { search: "?" },
    "search of a sign": { search: "%" },
    "search of a backslash": { search: "\\" },
    "search of an underscore": { search: "_" },
  };
}

/** Any valid request, without its bucket. */
export function listRequests(bucket: Bucket): fc.Arbitrary<ListUploadsRequest> {
  const path = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...bucket.folders.map((folder) => folder.path)) },
    { weight: 1, arbitrary: fc.constantFrom("", "/", "/none", null) },
    { weight: 1, arbitrary: names.filter((name) => !name.includes("/")).map((name) => `${name}/`) },
  );
  const fields = fc.record(
    {
      path,
      recursive: fc.boolean(),
      tags: tagsFilters,
      dates: dateRanges(bucket.uploads),
      months,
      search: searches(bucket.uploads),
      sortBy: fc.constantFrom(...sortFields, null),
      sortOrder: fc.constantFrom(...sortOrders, null),
      pageSize: fc.constantFrom(0, 1, 7, 50, 999, 1000),
    },
    { requiredKeys: [] },
  );
  return fields.map(({ dates, months, ...request }) => ({ ...request, ...dates, ...months }));
}

const someTags = fc.uniqueArray(fc.constantFrom(...tags, "none such"), { maxLength: 3 });

const tagsFilters: fc.Arbitrary<TagsFilter | null> = fc.option(
  fc.record({ allOf: someTags, anyOf: someTags, noneOf: someTags }, { requiredKeys: [] }),
);

/** Bounds at, just before and just after the times of uploads, in ascending order. */
function dateRanges(uploads: readonly Upload[]) {
  const bound = fc
    .tuple(
      fc.constantFrom(...uploads.map(({ createdAt }) => createdAt)),
      fc.constantFrom("", "000", "001", "999"),
    )
    .map(([time, nanoseconds]) => withNanoseconds(time, nanoseconds));
  return fc
    .tuple(fc.option(bound), fc.option(bound))
    .map(([one, other]) =>
      one !== null && other !== null && sortableTime(one) > sortableTime(other)
        ? { dateFrom: other, dateTo: one }
        : { dateFrom: one, dateTo: other },
    );
}

function withNanoseconds(time: string, nanoseconds: string): string {
  if (nanoseconds === "") return time;
  const [seconds = "", fraction = ""] = time.slice(0, -1).split(".");
  return `${seconds}.${fraction.padEnd(6, "0")}${nanoseconds}Z`;
}

function sortableTime(time: string): string {
  return time.includes(".") ? time.slice(0, -1).padEnd(29, "0") : `${time.slice(0, -1)}.000000000`;
}

const months = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.record({
      year: fc.constantFrom(1, 1969, 2024, 2025, 2026, 9999),
      month: fc.constantFrom(1, 2, 6, 11, 12, null),
    }),
  },
);

function searches(uploads: readonly Upload[]): fc.Arbitrary<string | null> {
  const stored = fc.constantFrom(...uploads.flatMap(({ filename, slug }) => [filename, slug]));
  return fc.oneof(
    { weight: 4, arbitrary: stored.chain(typedPartOf) },
    { weight: 2, arbitrary: stored.chain(patternFor) },
    { weight: 1, arbitrary: fc.constantFrom("", null, "none such", "*", "**", "?*?") },
  );
}
