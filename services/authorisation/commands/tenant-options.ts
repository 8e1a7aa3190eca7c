/** The options that clients share: the organisation and the scopes. */
import { type Command, InvalidArgumentError } from "commander";
import { parseIdentifier, parseName } from "./arguments.ts";

/** The values of the options. */
export interface TenantOptions {
  organisation: string;
  application?: string;
  name?: string;
  scope?: string[];
}

/** The scopes without the option `--scope`. */
export const scopesDefault = ["upl:bucket:read"];

/** All scopes together: they are in every token, and a token has at most 8 KiB. */
const scopeCharactersMax = 2048;

/** Adds the options to a command. */
export function addTenantOptions(command: Command): Command {
  command
    .requiredOption("--organisation <id>", "organisation whose data it may read", parseIdentifier)
    .option(
      "--application <id>",
      "application it belongs to (default: a new one)",
      parseIdentifier,
    );
  return addNameAndScopes(command, ` (default: ${scopesDefault})`);
}

export function addNameAndScopes(command: Command, remarkOnScopes = ""): Command {
  const scopeText = `scope it may be granted, repeatable${remarkOnScopes}`;
  return command
    .option("--name <name>", "its display name", parseName)
    .option("--scope <scope>", scopeText, collectScope);
}

/** Adds a scope (RFC 6749 section 3.3) to the earlier ones. */
function collectScope(text: string, earlier: readonly string[] = []): string[] {
  if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text)) {
    throw new InvalidArgumentError('Need one scope of printable ASCII without spaces, " and \\.');
  }
  const scopes = [...new Set([...earlier, text])];
  if (scopes.join(" ").length > scopeCharactersMax) {
    throw new InvalidArgumentError(`Need at most ${scopeCharactersMax} characters in all.`);
  }
  return scopes;
}
