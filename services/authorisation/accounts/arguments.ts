/** What may be given on the command line, checked where it is read. */
import { InvalidArgumentError } from "commander";
import { loginNameCharactersMax, normaliseLoginName } from "./login-name.ts";

/** A login name, in any case. */
export function parseLoginName(text: string): string {
  const name = normaliseLoginName(text);
  if (name === undefined) {
    throw new InvalidArgumentError(
      `Need 1 to ${loginNameCharactersMax} characters without spaces.`,
    );
  }
  return name;
}
