import { InvalidArgumentError } from "commander";

/** Reads an option: with anything else, a run would end at once and find nothing wrong. */
export function positiveNumber(text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new InvalidArgumentError("Need a positive number.");
  return number;
}
