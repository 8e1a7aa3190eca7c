import { InvalidArgumentError } from "commander";

/** Reads a whole number of the command line. */
export function parseWhole(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Need a whole number from ${min} to ${max}.`);
  };
}
