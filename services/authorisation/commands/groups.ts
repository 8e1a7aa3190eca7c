/** `groups`: what the groups of another provider may access. */
import { printText } from "@stowage/process";
import { type Command, InvalidArgumentError } from "commander";
import { readDetails } from "../authorization-details/read-details.ts";
import {
  listProviderGroups,
  type ProviderGroup,
  removeProviderGroup,
  setProviderGroup,
} from "../store/provider-groups.ts";
import { parseIdentifier, parseText } from "./arguments.ts";
import { type Columns, printRows } from "./output.ts";
import { runCommands, type WithPool } from "./run-commands.ts";

const uuidCharacters = 36;

/** Adds a place: the ID of a bucket, and perhaps the path of a folder in it. */
function collectPlace(text: string, earlier: readonly object[] = []): object[] {
  const [identifier, location] = [text.slice(0, uuidCharacters), text.slice(uuidCharacters)];
  const entry = { type: "bucket", identifier, actions: ["read"] };
  const entries = [...earlier, location === "" ? entry : { ...entry, locations: [location] }];
  try {
    readDetails(JSON.stringify(entries));
  } catch (error) {
    const { error_description: reason } = error as { error_description?: string };
    throw new InvalidArgumentError(
      `Need the ID of a bucket, or an ID and a path such as ID/photos/2024 (${reason}).`,
    );
  }
  return entries;
}

interface SetOptions {
  organisation: string;
  read?: object[];
}

function defineSet(command: Command, withPool: WithPool): void {
  command
    .description("Sets what a group may access, in place of what it could before.")
    .argument("<group>", "its name or ID, exactly as the provider sends it", parseText)
    .requiredOption("--organisation <id>", "organisation whose data it may read", parseIdentifier)
    .option(
      "--read <place>",
      "only this bucket (ID), or this folder in it (ID/path), repeatable (default: all buckets)",
      collectPlace,
    )
    .action(async (groupName: string, { organisation: organisationId, read }: SetOptions) => {
      const authorizationDetails = readDetails(read && JSON.stringify(read)) ?? null;
      const group = { groupName, organisationId, authorizationDetails };
      await withPool((pool) => setProviderGroup(pool, group));
      printText(`set group ${groupName}; it applies from the next sign-in of each person\n`);
    });
}

const columns: Columns<ProviderGroup> = {
  GROUP: (group) => group.groupName,
  ORGANISATION: (group) => group.organisationId,
  "MAY READ": ({ authorizationDetails }) =>
    authorizationDetails
      ?.flatMap(({ identifier, locations }) =>
        ((locations ?? [""]) as string[]).map((location) => `${identifier}${location}`),
      )
      .join(" ") ?? "all buckets",
};

await runCommands(
  {
    name: "groups",
    description: "Sets what the groups of another provider may access.",
    examples: [
      "stowage groups set staff --organisation acme",
      "stowage groups set guests --organisation acme " +
        "--read 3f0c8c1e-6d3b-4c8e-9d54-0a4b5f2f9a11/photos/2024",
    ],
  },
  (program, withPool) => {
    defineSet(program.command("set"), withPool);
    program
      .command("list")
      .description("Lists the groups by name.")
      .option("--json", "print a JSON array")
      .action(async ({ json }: { json?: true }) => {
        printRows(await withPool(listProviderGroups), columns, {
          json,
          none: "groups; set what one may access with: stowage groups set",
        });
      });
    program
      .command("remove")
      .description("Removes a group: it gives no access from the next sign-in of each person.")
      .argument("<group>", "as `groups list` shows it", parseText)
      .action(async (groupName: string) => {
        if (!(await withPool((pool) => removeProviderGroup(pool, groupName)))) {
          throw new Error(`Cannot remove group ${groupName}: there is no such group`);
        }
        printText(
          `removed group ${groupName}; accounts sign-out ends the access of a person at once\n`,
        );
      });
  },
);
