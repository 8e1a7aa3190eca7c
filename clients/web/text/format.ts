/** Formats values in the reader's locale and time zone, which are the browser's. */

/** Binary units, as the command line uses them. `Intl` knows only decimal ones. */
const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

interface Formats {
  /** A size for people: `512 B`, `9.8 KiB`, `314 MiB`. */
  readonly formatSize: (sizeBytes: bigint | number) => string;
  /** `12,345`. */
  readonly formatCount: (count: bigint | number) => string;
  /** The day and the time to the minute of a time in milliseconds; empty without a time. */
  readonly formatDateTime: (timeMs: number | undefined) => string;
}

/** Without a locale, the formats are those of the reader. */
export function createFormats(locale?: string, timeZone?: string): Formats {
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const tenths = new Intl.NumberFormat(locale, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  const dateTime = new Intl.DateTimeFormat(locale, {
    dateStyle: "medium",
    timeStyle: "short",
    ...(timeZone === undefined ? {} : { timeZone }),
  });
  return {
    formatSize: (sizeBytes) => {
      const { value, unit } = scale(Number(sizeBytes));
      // A no-break space, so that a unit never begins a line.
      return `${(unit > 0 && value < 9.95 ? tenths : whole).format(value)}\u00a0${units[unit]}`;
    },
    formatCount: (count) => whole.format(count),
    formatDateTime: (timeMs) => (timeMs === undefined ? "" : dateTime.format(timeMs)),
  };
}

/** The value in the largest unit of which it has at least one, after rounding. */
function scale(sizeBytes: number): { readonly value: number; readonly unit: number } {
  for (let unit = 0, value = sizeBytes; ; unit++, value /= 1024) {
    if (Math.round(value) < 1024 || unit === units.length - 1) return { value, unit };
  }
}

export const { formatSize, formatCount, formatDateTime } = createFormats();

/**
 * A name or path as it may be shown: characters that are invisible, break lines or turn text around
 * are written by their numbers, `\u{202e}`. Show it in `<bdi>`, since names have either direction.
 */
export function formatName(name: string): string {
  return name.replace(hiddenCharacters, (character) => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
}

/** Not the invisible ones that shape others: in Persian and Indian scripts, and in emoji. */
const hiddenCharacters =
  /(?!\u200c|\u200d|\p{VS}|[\u{e0020}-\u{e007f}])[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{DI}]/gu;
