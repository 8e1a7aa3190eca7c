/** Values as the panel shows them: exact, for people who compare and copy. */
import { formatSize } from "../text/format.ts";

/** The fields of a `google.protobuf.Timestamp`. */
interface Timestamp {
  readonly seconds: bigint;
  readonly nanos: number;
}

interface ExactFormats {
  /** `1,234,567 bytes (1.2 MiB)`. */
  readonly formatExactSize: (sizeBytes: bigint) => string;
  /** The day, the time to the second and the time zone. A number is in milliseconds. */
  readonly formatExactTime: (time: Timestamp | number) => string;
}

const bytesPerKibibyte = 1024n;

/** Without a locale and a time zone, they are those of the reader. */
export function createExactFormats(locale?: string, timeZone?: string): ExactFormats {
  const bytes = new Intl.NumberFormat(locale, {
    style: "unit",
    unit: "byte",
    unitDisplay: "long",
  });
  const dateTime = new Intl.DateTimeFormat(locale, {
    dateStyle: "long",
    timeStyle: "long",
    ...(timeZone === undefined ? {} : { timeZone }),
  });
  return {
    formatExactSize: (sizeBytes) =>
      sizeBytes < bytesPerKibibyte
        ? bytes.format(sizeBytes)
        : `${bytes.format(sizeBytes)} (${formatSize(sizeBytes)})`,
    formatExactTime: (time) => dateTime.format(millisecondsOf(time)),
  };
}

function millisecondsOf(time: Timestamp | number): number {
  return typeof time === "number" ? time : Number(time.seconds) * 1000;
}

export const { formatExactSize, formatExactTime } = createExactFormats();
