/** Reads the values of filters. */
import { type Interval, type IntervalSet, union } from "./intervals.ts";
import { readSize } from "./read-size.ts";
import { readTime } from "./read-time.ts";

/** The names of filters, each with what it needs, for people. */
export const filterNeeds = {
  ext: "an extension, such as ext:pdf or ext:jpg,png",
  type: "image, video, audio, document, archive, text or other",
  tag: "a tag, such as tag:final",
  size: "a size, such as size:>100MB, size:<1GiB or size:1k..10k",
  created: "a date or an age, such as created:2026-03, created:<30d or created:2025..2026-02-15",
  changed: "a date or an age, such as changed:2026-03, changed:<30d or changed:2025..2026-02-15",
  in: "a folder, such as in:/photos",
} as const;

export type FilterName = keyof typeof filterNeeds;

/** A filter. Of several values, any may be that of an upload. */
export type ReadFilter = {
  /** Whether it has an age or a day counted from now. */
  readonly dependsOnTime: boolean;
} & (
  | { readonly name: "ext" | "type" | "tag" | "in"; readonly values: readonly string[] }
  | { readonly name: "size" | "created" | "changed"; readonly intervals: IntervalSet }
);

export type ReadValues =
  | { readonly isRead: true; readonly filter: ReadFilter }
  | { readonly isRead: false };

/** The types of uploads, as people write them. */
export const typeNames = [
  "image",
  "video",
  "audio",
  "document",
  "archive",
  "text",
  "other",
] as const;

const wrong = { isRead: false } as const;

export function readFilterValues(
  name: FilterName,
  values: readonly string[],
  nowMicros: bigint,
): ReadValues {
  if (values.some((value) => value.trim() === "")) return wrong;
  if (name === "size")
    return ofIntervals(
      name,
      values.map((value) => readSize(value)),
      false,
    );
  if (name === "created" || name === "changed") {
    const times = values.map((value) => readTime(value, nowMicros));
    return ofIntervals(
      name,
      times.map((time) => time?.interval),
      times.some((time) => time?.dependsOnNow),
    );
  }
  const read = values.map((value) => readText[name](value));
  if (read.some((value) => value === undefined || value === "")) return wrong;
  return { isRead: true, filter: { name, values: read as string[], dependsOnTime: false } };
}

const readText = {
  ext: (value: string) => value.replace(/^\*?\./, ""),
  type: (value: string) => {
    const given = value.toLowerCase();
    return typeNames.find((type) => given === type || given === `${type}s`);
  },
  tag: (value: string) => value,
  in: (value: string) => value,
};

function ofIntervals(
  name: "size" | "created" | "changed",
  intervals: readonly (Interval | undefined)[],
  dependsOnTime: boolean,
): ReadValues {
  const read = intervals.filter((interval) => interval !== undefined);
  if (read.length < intervals.length) return wrong;
  return { isRead: true, filter: { name, intervals: union(read), dependsOnTime } };
}
