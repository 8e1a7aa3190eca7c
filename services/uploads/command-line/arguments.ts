/** Parses arguments of commands that import, or name a bucket of the index. */
import { InvalidArgumentError } from "commander";
import { checkHostname, checkOrganisationId } from "../import/records/check-record.ts";
import { normalisePath, PathError } from "../model/path.ts";

/** Returns the host name in lower case. */
export function parseHostname(text: string): string {
  return checkHostname(text, "the host name", rejectArgument);
}

/** Returns the path of a folder in normal form. */
export function parsePath(text: string): string {
  try {
    return normalisePath(text);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    throw new InvalidArgumentError(`The path ${error.message}.`);
  }
}

export function parseOrganisationId(text: string): string {
  return checkOrganisationId(text, "the identifier", rejectArgument);
}

/** Commander names what it got. */
function rejectArgument(_field: string, _got: string, need: string): never {
  throw new InvalidArgumentError(`Need ${need}.`);
}
