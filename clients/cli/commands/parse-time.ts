import { fromJson } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { InvalidArgumentError } from "commander";

/** Reads a time, at full precision; a date is the first or the last moment of that day in UTC. */
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
