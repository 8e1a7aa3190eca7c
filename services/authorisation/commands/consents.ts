/** `consents`: lists what people have allowed clients. */
import { type ListedConsent, listConsents } from "../store/consents.ts";
import { limitOption, parseLoginName, parseUuid } from "./arguments.ts";
import { type Columns, printRows } from "./output.ts";
import { runCommands } from "./run-commands.ts";

const columns: Columns<ListedConsent> = {
  "LOGIN NAME": (consent) => consent.loginName,
  CLIENT: (consent) => consent.clientId,
  NAME: (consent) => consent.clientName,
  RESOURCE: (consent) => consent.resource || "(who the person is)",
  SCOPES: (consent) => consent.scopes.join(" "),
};

interface ListOptions {
  loginName?: string;
  client?: string;
  limit: number;
  json?: true;
}

await runCommands(
  {
    name: "consents",
    description: "Lists the consents that people have given clients.",
    examples: ["stowage consents list --login-name ada@example.com"],
  },
  (program, withPool) => {
    program
      .command("list")
      .description("Lists the consents by login name and client.")
      .option("--login-name <name>", "only those of this person", parseLoginName)
      .option("--client <id>", "only those to this client", parseUuid)
      .option(...limitOption())
      .option("--json", "print a JSON array")
      .action(async ({ loginName, client: clientId, limit, json }: ListOptions) => {
        const filter = { loginName, clientId };
        printRows(await withPool((pool) => listConsents(pool, filter, limit)), columns, {
          json,
          none: "consents; people give them when they allow a client something",
        });
      });
  },
);
