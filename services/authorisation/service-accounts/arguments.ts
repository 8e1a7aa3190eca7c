/** What may be given on the command line, checked where it is read. */
import { InvalidArgumentError } from "commander";

const daysMax = 366;

/** How long an assertion is good. */
export function parseDays(text: string): number {
  const days = Number(text);
  if (!/^\d{1,3}$/.test(text) || days < 1 || days > daysMax) {
    throw new InvalidArgumentError(`Need a whole number of days from 1 to ${daysMax}.`);
  }
  return days;
}
