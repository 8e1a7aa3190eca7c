/** What may be given on the command line, checked where it is read. */
import { posix } from "node:path";
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

/** Adds a path under the directory, in one form, to those given before. */
export function collectPath(text: string, earlier: readonly string[] = []): readonly string[] {
  const path = posix.normalize(text).replace(/\/$/, "");
  if (path === "." || posix.isAbsolute(path) || path.split("/").includes("..")) {
    throw new InvalidArgumentError("Need a path relative to the directory, and under it.");
  }
  return [...earlier, path];
}

function refuseArgument(_field: string, got: string, need: string): never {
  throw new InvalidArgumentError(`Got ${got}, need ${need}.`);
}
