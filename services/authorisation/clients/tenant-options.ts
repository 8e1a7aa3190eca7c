/** The options of whatever may ask for tokens: whose it is, and what it may be granted. */
import type { Command } from "commander";
import { collectScope, parseIdentifier, parseName } from "./arguments.ts";

/** What was given. */
export interface TenantOptions {
  organisation: string;
  application?: string;
  name?: string;
  scope?: string[];
}

/** What a client may read when nothing is said. */
export const scopesDefault = ["upl:bucket:read"];

/** Adds the options to a command. */
export function addTenantOptions(command: Command): Command {
  return command
    .requiredOption("--organisation <id>", "organisation whose data it may reach", parseIdentifier)
    .option("--application <id>", "application it belongs to (default: a new one)", parseIdentifier)
    .option("--name <name>", "what people call it", parseName)
    .option(
      "--scope <scope>",
      `scope it may be granted, again for more (default: ${scopesDefault})`,
      collectScope,
    );
}
