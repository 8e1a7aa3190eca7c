/** What may be given on the command line, checked where it is read. */
import { InvalidArgumentError } from "commander";
import { checkHostname, checkOrganisationId } from "./check-bucket.ts";

/** A host name, in lower case. */
export function parseHostname(text: string): string {
  return checkHostname(text, "the host name", refuseArgument);
}

/** An organisation's identifier. */
export function parseOrganisationId(text: string): string {
  return checkOrganisationId(text, "the identifier", refuseArgument);
}

function refuseArgument(_field: string, got: string, need: string): never {
  throw new InvalidArgumentError(`Got ${got}, need ${need}.`);
}
