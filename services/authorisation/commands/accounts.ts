/** `accounts`: manages the people who may sign in. */

import { randomUUID } from "node:crypto";
import { prepareDenylist } from "@stowage/access-token/postgres";
import { inTransaction, printText } from "@stowage/process";
import type { Command } from "commander";
import type pg from "pg";
import { hashPassword } from "../model/credentials.ts";
import { subjectOf } from "../model/subjects.ts";
import { linkCommandSettings } from "../settings.ts";
import {
  addAccount,
  changePassword,
  findAccountId,
  hasPassword,
  type ListedAccount,
  listAccounts,
  removeAccount,
  signOutEverywhere,
  updateAccount,
} from "../store/accounts.ts";
import { endAccess } from "../store/end-access.ts";
import { parseEmail, parseIdentifier, parseLoginName, parseName, parseText } from "./arguments.ts";
import { defineDisabling } from "./disable-commands.ts";
import { type Columns, dayText, print, printRows, stateText } from "./output.ts";
import { readPassword } from "./read-secrets.ts";
import { runCommands, type WithPool } from "./run-commands.ts";
import { defineSignInLink } from "./sign-in-link.ts";

const passwordFileOption = [
  "--password-file <file>",
  "file that contains the password, or - (default: asks for it)",
] as const;

interface AddOptions {
  organisation: string;
  loginName: string;
  name?: string;
  email?: string;
  passwordFile?: string;
  json?: true;
}

function defineAdd(command: Command, withPool: WithPool, signal: AbortSignal): void {
  command
    .description("Adds an account, with which a person can sign in.")
    .requiredOption("--organisation <id>", "organisation whose data it may read", parseIdentifier)
    .requiredOption(
      "--login-name <name>",
      "what to sign in with: a name or an e-mail address",
      parseLoginName,
    )
    .option("--name <name>", "the person's display name", parseName)
    .option("--email <address>", "the person's e-mail address, for the scope email", parseEmail)
    .option(...passwordFileOption)
    .option("--json", "print one JSON object")
    .action(async ({ organisation: organisationId, ...options }: AddOptions) => {
      const { loginName, name = "", passwordFile, json } = options;
      const email = options.email || null;
      const account = { accountId: randomUUID(), organisationId, loginName, name, email };
      const passwordHash = await hashPassword(await readPassword(passwordFile, signal));
      if (!(await withPool((pool) => addAccount(pool, { ...account, passwordHash })))) {
        throw new Error(
          `Cannot add the account: "${loginName}" exists already, need another login name`,
        );
      }
      const subject = subjectOf(account.accountId);
      const text = () => `added account ${loginName}\nsubject  ${subject}\n`;
      print({ ...account, subject }, text, json);
    });
}

const columns: Columns<ListedAccount> = {
  "LOGIN NAME": (account) => account.loginName,
  ORGANISATION: (account) => account.organisationId,
  ADDED: (account) => dayText(account.createdAt),
  STATE: stateText,
  SUBJECT: (account) => subjectOf(account.accountId),
  NAME: (account) => account.name,
  "E-MAIL": (account) => account.email ?? "",
};

function defineList(command: Command, withPool: WithPool): void {
  command
    .description("Lists the accounts by login name.")
    .option("--organisation <id>", "only those of this organisation", parseIdentifier)
    .option("--json", "print a JSON array")
    .action(async ({ organisation, json }: { organisation?: string; json?: true }) => {
      printRows(await withPool((pool) => listAccounts(pool, organisation)), columns, {
        json,
        none: "accounts; add one with: stowage accounts add",
      });
    });
}

function defineUpdate(command: Command, withPool: WithPool): void {
  command
    .description("Changes what clients are told about a person.")
    .argument("<login name>", "whose account", parseLoginName)
    .option("--name <name>", "the person's display name", parseName)
    .option("--email <address>", 'the person\'s e-mail address; "" removes it', parseEmail)
    .action(async (loginName: string, { name, email }: { name?: string; email?: string }) => {
      if (name === undefined && email === undefined) {
        command.error("need --name or --email");
      }
      const changes = { name, email: email === "" ? null : email };
      if (!(await withPool((pool) => updateAccount(pool, loginName, changes)))) {
        throw new Error(`Cannot update ${loginName}: there is no such account`);
      }
      printText(`updated account ${loginName}\n`);
    });
}

/** The commands that end the sessions of an account and revoke its tokens. */
function defineEndings(program: Command, withPool: WithPool, signal: AbortSignal): void {
  const change = async (
    loginName: string,
    action: (pool: pg.Pool) => Promise<boolean>,
    [done, undone]: [done: string, undone: string],
  ) => {
    const isDone = await withPool(async (pool) => {
      await prepareDenylist(pool);
      return await action(pool);
    });
    if (!isDone) throw new Error(`Cannot ${undone} ${loginName}: there is no such account`);
    printText(`${done} ${loginName}\n`);
  };

  program
    .command("remove")
    .description("Removes an account, ends its sessions, and revokes its tokens.")
    .argument("<login name>", "whose account", parseLoginName)
    .action((name: string) =>
      change(name, (pool) => removeAccount(pool, name), ["removed account", "remove account"]),
    );
  program
    .command("set-password")
    .description("Sets a new password, ends the account's sessions, and revokes its tokens.")
    .argument("<login name>", "whose password", parseLoginName)
    .option(...passwordFileOption)
    .action(async (name: string, { passwordFile }: { passwordFile?: string }) => {
      const setPassword = async (pool: pg.Pool) => {
        // First, so that nobody enters a password in vain.
        if (!(await hasPassword(pool, name))) {
          throw new Error(
            `Cannot set the password of ${name}: no account of that name has a password`,
          );
        }
        const passwordHash = await hashPassword(await readPassword(passwordFile, signal));
        return await changePassword(pool, name, passwordHash);
      };
      await change(name, setPassword, ["set a new password for", "set the password of"]);
    });
  program
    .command("sign-out")
    .description("Ends an account's sessions, and revokes its tokens; it can sign in again.")
    .argument("<login name>", "who", parseLoginName)
    .option(
      "--session <id>",
      "only this session, as if the person had signed out there; offline access remains",
      parseText,
    )
    .action(async (name: string, { session }: { session?: string }) => {
      const signOut = (pool: pg.Pool) =>
        session === undefined ? signOutEverywhere(pool, name) : endSession(pool, name, session);
      await change(name, signOut, ["signed out", "sign out"]);
    });
}

async function endSession(pool: pg.Pool, name: string, sessionUid: string): Promise<boolean> {
  const accountId = await findAccountId(pool, name);
  if (accountId === undefined) return false;
  const session = { sessionUid, ofSubject: subjectOf(accountId) };
  if (await inTransaction(pool, (connection) => endAccess(connection, session))) return true;
  throw new Error(`Cannot end session ${sessionUid} of ${name}: there is no such session`);
}

await runCommands(
  {
    name: "accounts",
    description: "Adds, lists and removes the accounts of people who sign in.",
    examples: [
      "stowage accounts add --organisation acme --login-name ada@example.com " +
        '--name "Ada Lovelace"',
    ],
    settings: { "sign-in-link": linkCommandSettings },
  },
  (program, withPool, { environment, signal }) => {
    defineAdd(program.command("add"), withPool, signal);
    defineList(program.command("list"), withPool);
    defineUpdate(program.command("update"), withPool);
    defineSignInLink(program.command("sign-in-link"), withPool, environment);
    defineEndings(program, withPool, signal);
    defineDisabling(program, withPool, "account", [
      "<login name>",
      "whose account",
      parseLoginName,
    ]);
  },
);
