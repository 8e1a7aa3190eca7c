/** Parses the options and arguments of the command line. */
import { create, fromJson } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import {
  type TextFilter,
  TextFilterSchema,
} from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import {
  type BucketRef,
  BucketRefSchema,
  type FolderRef,
  FolderRefSchema,
} from "@stowage/api/svc/api/v1/references_pb";
import { InvalidArgumentError, Option } from "commander";

export const bucketOption = () =>
  new Option("--bucket <bucket>", "host name or ID (default: the organisation's primary bucket)");

export const baseUrlOption = () =>
  new Option(
    "--base-url <url>",
    "address of the uploads service (default: the one signed in to or started last)",
  )
    .env("BASE_URL")
    .argParser(parseUrl);

/** A text in UUID form is a bucket's ID; any other text is a host name. */
export function bucketRefOf(text: string): BucketRef {
  // A copy of the pattern in `@stowage/process`, which clients may not import.
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
  const reference = isId
    ? ({ case: "bucketId", value: text } as const)
    : ({ case: "hostname", value: text } as const);
  return create(BucketRefSchema, { reference });
}

export function folderRefOf(path: string): FolderRef {
  return create(FolderRefSchema, { reference: { case: "path", value: path } });
}

/** The folder and the last segment of a path. The root has an empty name. */
export function splitPath(path: string): { readonly folder: string; readonly name: string } {
  const inside = path.replace(/^\/|\/$/g, "");
  const slash = inside.lastIndexOf("/");
  return { folder: `/${inside.slice(0, Math.max(slash, 0))}`, name: inside.slice(slash + 1) };
}

type Rule = Exclude<TextFilter["rule"], { case: undefined }>["case"];

/** Parses a filter rule: `prefix:/photos`, `*.pdf`, `holiday`. */
export function textFilterOf(text: string, caseSensitive: boolean): TextFilter {
  const named = /^(equals|prefix|contains|glob):(.*)$/s.exec(text);
  const rule = named
    ? { case: named[1] as Rule, value: named[2] ?? "" }
    : { case: /[*?]/.test(text) ? ("glob" as const) : ("contains" as const), value: text };
  return create(TextFilterSchema, { rule, caseSensitive });
}

/** Collects the values of an option that may be repeated. */
export function collectText(text: string, earlier: readonly string[] = []): string[] {
  return [...earlier, text];
}

export function parseWhole(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Need a whole number from ${min} to ${max}.`);
  };
}

/** A parser of durations such as `90s`, `30m`, `2h` and `7d`. The value is in seconds. */
export function parseDuration(min: number, max: number): (text: string) => number {
  return (text) => {
    const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
    const seconds = Number(count) * (secondsOf[unit ?? ""] ?? Number.NaN);
    if (seconds >= min && seconds <= max) return seconds;
    const limits = `${durationText(min)} to ${durationText(max)}`;
    throw new InvalidArgumentError(`Need ${limits}, as in 90s, 30m, 2h or 7d.`);
  };
}

/** In the largest unit that divides it: `7d`, `90s`. */
function durationText(seconds: number): string {
  const units = Object.entries(secondsOf).reverse();
  const [unit = "s", size = 1] = units.find(([, size]) => seconds % size === 0) ?? [];
  return `${seconds / size}${unit}`;
}

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** A parser of times, at full precision. A date is the first or last moment of that day in UTC. */
export function parseTime(moment: "first" | "last"): (text: string) => Timestamp {
  const timeOfDay = { first: "T00:00:00Z", last: "T23:59:59.999999999Z" }[moment];
  return (text) => {
    try {
      return fromJson(TimestampSchema, /^\d{4}-\d{2}-\d{2}$/.test(text) ? text + timeOfDay : text);
    } catch {
      throw new InvalidArgumentError("Need a time such as 2026-11-21T12:00:00Z, or a date.");
    }
  };
}

/** Whether a text is an http or https address without query and fragment. */
export function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !/[?#\s]/.test(text);
}

/** Parses such an address and returns it exactly as given. */
export function parseUrl(text: string): string {
  if (isPlainUrl(text)) return text;
  throw new InvalidArgumentError("Need an http or https address without query and fragment.");
}
