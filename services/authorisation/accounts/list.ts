/** `accounts list`: shows who may sign in. */
import { Command } from "commander";
import { parseIdentifier } from "../clients/arguments.ts";
import { tableText } from "../output/table-text.ts";
import { listAccounts } from "../store/accounts.ts";
import type { WithPool } from "../store/with-pool.ts";
import { subjectOf } from "./subject.ts";

type Listed = Awaited<ReturnType<typeof listAccounts>>[number];

/** The command, for `main.ts`. */
export function listCommand(withPool: WithPool): Command {
  return new Command("list")
    .description("Lists the accounts by login name.")
    .option("--organisation <id>", "only those of this organisation", parseIdentifier)
    .option("--json", "print a JSON array")
    .action(async (options: { organisation?: string; json?: true }) => {
      const accounts = await withPool((pool) => listAccounts(pool, options.organisation));
      const text = options.json ? `${JSON.stringify(accounts)}\n` : tableText(accounts, columns);
      process.stdout.write(text);
    });
}

const columns: Record<string, (account: Listed) => string> = {
  "LOGIN NAME": (account) => account.loginName,
  ORGANISATION: (account) => account.organisationId,
  ADDED: (account) => account.createdAt.toISOString().slice(0, 10),
  SUBJECT: (account) => subjectOf(account.accountId),
  NAME: (account) => account.name,
};
