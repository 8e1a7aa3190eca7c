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
  // What Date also understands, such as "1" or local times, is not what anybody means here.
  const seconds = rfc3339.test(text) ? Math.ceil(Date.parse(text) / 1000) : Number.NaN;
  if (!(seconds >= 0)) throw new InvalidArgumentError("Need a time such as 2026-11-21T12:00:00Z.");
  return seconds;
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i;

export function parseHours(text: string): number {
  const hours = Number(text);
  if (!/^\d{1,5}$/.test(text) || hours < 1 || hours > hoursMax) {
    throw new InvalidArgumentError(`Need a whole number of hours from 1 to ${hoursMax}.`);
  }
  return hours;
}
