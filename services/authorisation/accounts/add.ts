/** `accounts add`: lets a person sign in. */
import { randomUUID } from "node:crypto";
import { Command } from "commander";
import { parseIdentifier, parseName } from "../clients/arguments.ts";
import { addAccount } from "../store/accounts.ts";
import type { WithPool } from "../store/with-pool.ts";
import { parseLoginName } from "./arguments.ts";
import { hashPassword } from "./password.ts";
import { readPassword } from "./read-password.ts";
import { subjectOf } from "./subject.ts";

interface AddOptions {
  organisation: string;
  loginName: string;
  name?: string;
  passwordFile?: string;
  json?: true;
}

/** The command, for `main.ts`. */
export function addCommand(withPool: WithPool): Command {
  return new Command("add")
    .description("Adds an account, with which a person can sign in.")
    .requiredOption("--organisation <id>", "organisation whose data it may reach", parseIdentifier)
    .requiredOption("--login-name <name>", "what to sign in with: a name or e-mail", parseLoginName)
    .option("--name <name>", "what people call its owner", parseName)
    .option("--password-file <file>", "file that holds the password, or - (default: ask for it)")
    .option("--json", "print one JSON object")
    .action((options: AddOptions) => add(options, withPool));
}

async function add(options: AddOptions, withPool: WithPool): Promise<void> {
  const account = {
    accountId: randomUUID(),
    organisationId: options.organisation,
    loginName: options.loginName,
    name: options.name ?? "",
  };
  const passwordHash = await hashPassword(await readPassword(options.passwordFile));
  if (!(await withPool((pool) => addAccount(pool, { ...account, passwordHash })))) {
    throw new Error(
      `Cannot add the account: "${account.loginName}" exists already, need another login name`,
    );
  }
  const shown = { ...account, subject: subjectOf(account.accountId) };
  process.stdout.write(
    options.json
      ? `${JSON.stringify(shown)}\n`
      : `added account ${account.loginName}\nsubject  ${shown.subject}\n`,
  );
}
