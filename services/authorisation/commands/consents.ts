/** `consents`: lists and withdraws what people have allowed clients. */
import { prepareDenylist } from "@stowage/access-token/postgres";
import { findAccountId } from "../store/accounts.ts";
import { type ListedConsent, listConsents } from "../store/consents.ts";
import { withdrawConsents } from "../store/revoke-access.ts";
import { limitOption, parseLoginName, parseUuid } from "./arguments.ts";
import { type Columns, print, printRows } from "./output.ts";
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
    description: "Lists and withdraws the consents that people have given clients.",
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
    program
      .command("withdraw")
      .description("Withdraws a person's consents to a client, and revokes its grants and tokens.")
      .argument("<login name>", "who has consented", parseLoginName)
      .argument("<client id>", "to which client", parseUuid)
      .action(async (loginName: string, clientId: string) => {
        const isWithdrawn = await withPool(async (pool) => {
          await prepareDenylist(pool);
          const accountId = await findAccountId(pool, loginName);
          return accountId !== undefined && (await withdrawConsents(pool, accountId, clientId));
        });
        if (!isWithdrawn) {
          const what = `Cannot withdraw the consents of ${loginName} to ${clientId}`;
          throw new Error(`${what}: there are none, and no grant`);
        }
        print({ loginName, clientId }, () => `withdrew what ${loginName} allowed ${clientId}\n`);
      });
  },
);
