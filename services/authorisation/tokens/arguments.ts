/** What may be given on the command line, checked where it is read. */
import { InvalidArgumentError } from "commander";

/** No claim can be longer than the token it stands in. */
const claimBytesMax = 8 * 1024;
const hoursMax = 24 * 366;

/** The value of a claim. */
export function parseClaim(text: string): string {
  if (text === "" || Buffer.byteLength(text) > claimBytesMax || /[\p{Cc}\p{Cs}]/u.test(text)) {
    throw new InvalidArgumentError(`Need 1 to ${claimBytesMax} bytes without control characters.`);
  }
  return text;
}

/** A moment as a Unix time in seconds, rounded up. */
export function parseMoment(text: string): number {
  const [, year, month, day, fraction = ""] = rfc3339.exec(text) ?? [];
  // What Date also understands, such as "1", local times and 30 February, nobody means here.
  const isDay = Number(day) <= daysOf(Number(year), Number(month));
  const seconds = isDay ? Math.floor(Date.parse(text) / 1000) : Number.NaN;
  if (!(seconds >= 0)) throw new InvalidArgumentError("Need a time such as 2026-11-21T12:00:00Z.");
  return /[1-9]/.test(fraction) ? seconds + 1 : seconds;
}

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}:\d{2}(?:\.(\d+))?(?:Z|[+-]\d{2}:\d{2})$/i;

/** Of the month, by its number from 1. */
function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

export function parseHours(text: string): number {
  const hours = Number(text);
  if (!/^\d{1,5}$/.test(text) || hours < 1 || hours > hoursMax) {
    throw new InvalidArgumentError(`Need a whole number of hours from 1 to ${hoursMax}.`);
  }
  return hours;
}
