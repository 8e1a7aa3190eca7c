/** `grants`: lists what clients may get tokens for, on behalf of people. */
import { type ListedGrant, listGrants } from "../store/list-grants.ts";
import { limitOption, parseLoginName, parseText, parseUuid } from "./arguments.ts";
import { type Columns, dayText, printRows } from "./output.ts";
import { runCommands } from "./run-commands.ts";

const columns: Columns<ListedGrant> = {
  "GRANT ID": (grant) => grant.grantId,
  "LOGIN NAME": (grant) => grant.loginName ?? grant.subject,
  CLIENT: (grant) => grant.clientId,
  GRANTED: (grant) => dayText(grant.grantedAt),
  OFFLINE: (grant) => (grant.isOffline ? "yes" : "no"),
  SCOPES: (grant) => grant.scopes.join(" "),
};

interface ListOptions {
  loginName?: string;
  client?: string;
  organisation?: string;
  limit: number;
  json?: true;
}

await runCommands(
  {
    name: "grants",
    description: "Lists the grants that people have given clients.",
    examples: ["stowage grants list --login-name ada@example.com"],
  },
  (program, withPool) => {
    program
      .command("list")
      .description("Lists the grants, the newest first.")
      .option("--login-name <name>", "only those of this person", parseLoginName)
      .option("--client <id>", "only those of this client", parseUuid)
      .option("--organisation <id>", "only those of this organisation's people", parseText)
      .option(...limitOption())
      .option("--json", "print a JSON array")
      .action(async (options: ListOptions) => {
        const { loginName, client: clientId, organisation: organisationId, limit, json } = options;
        const filter = { loginName, clientId, organisationId };
        printRows(await withPool((pool) => listGrants(pool, filter, limit)), columns, {
          json,
          none: "grants; they begin when people allow a client something",
        });
      });
  },
);
