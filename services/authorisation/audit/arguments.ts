/** What may be given on the command line, checked where it is read. */
import { InvalidArgumentError } from "commander";

const textCharactersMax = 512;
const limitMax = 1000;
const rfc3339 = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2}))?$/i;
const midnight = "T00:00:00Z";

/** A moment, or a day, which begins at midnight in UTC. */
export function parseTime(text: string): Date {
  const [, day, rest] = rfc3339.exec(text) ?? [];
  const time = new Date(day === undefined || !isDay(day) ? Number.NaN : day + (rest ?? midnight));
  if (Number.isNaN(time.getTime())) {
    throw new InvalidArgumentError("Need a day or a time such as 2026-11-21T12:00:00Z.");
  }
  return time;
}

/** Date takes 30 February for 2 March. */
function isDay(day: string): boolean {
  const time = new Date(day + midnight);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day);
}

/** A subject or an organisation. */
export function parseText(text: string): string {
  if (text === "" || text.length > textCharactersMax || /[\p{Cc}\p{Cs}]/u.test(text)) {
    throw new InvalidArgumentError(
      `Need 1 to ${textCharactersMax} characters without control characters.`,
    );
  }
  return text;
}

/** How many to show. */
export function parseLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d{1,4}$/.test(text) || limit < 1 || limit > limitMax) {
    throw new InvalidArgumentError(`Need a whole number from 1 to ${limitMax}.`);
  }
  return limit;
}
