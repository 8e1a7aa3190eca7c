/** `organisations`: lists the organisations, and disables and enables them. */
import { type ListedOrganisation, listOrganisations } from "../store/organisations.ts";
import { parseIdentifier } from "./arguments.ts";
import { defineDisabling } from "./disable-commands.ts";
import { type Columns, dayText, printRows, stateText } from "./output.ts";
import { runCommands } from "./run-commands.ts";

const columns: Columns<ListedOrganisation> = {
  ORGANISATION: (organisation) => organisation.organisationId,
  ADDED: (organisation) => dayText(organisation.createdAt),
  STATE: stateText,
  ACCOUNTS: (organisation) => String(organisation.accounts),
  APPLICATIONS: (organisation) => String(organisation.applications),
};

await runCommands(
  {
    name: "organisations",
    description: "Lists, disables and enables organisations. The first client or account adds one.",
    examples: ["stowage organisations disable acme"],
  },
  (program, withPool) => {
    program
      .command("list")
      .description("Lists the organisations, oldest first.")
      .option("--json", "print a JSON array")
      .action(async ({ json }: { json?: true }) => {
        printRows(await withPool(listOrganisations), columns, {
          json,
          none: "organisations; the first client or account of one adds it",
        });
      });
    defineDisabling(program, withPool, "organisation", [
      "<organisation>",
      "its identifier",
      parseIdentifier,
    ]);
  },
);
