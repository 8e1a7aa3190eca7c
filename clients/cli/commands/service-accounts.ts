/** `stowage service-accounts`: programs that get tokens for an assertion. */
import type { Command } from "commander";
import { dataDirOf, readLocalClient } from "../access/local-client.ts";
import { programCommand } from "./program-command.ts";

/** The command, for `main.ts`. */
export function serviceAccountsCommand(): Command {
  return programCommand({
    name: "service-accounts",
    description: "Adds, lists and revokes accounts of programs that show an assertion.",
    parts: {
      add: "adds an account and prints, this once, the assertion that it gets tokens for",
      list: "lists the accounts, oldest first",
      revoke: "ends an account and takes back its tokens",
    },
    environment: async () => ({ AUTH_URL: process.env.AUTH_URL || (await localAuthUrl()) }),
    example: 'stowage service-accounts add --organisation acme --name "backup"',
  });
}

/** Assertions are for one issuer: without another, the one that npm start has started last. */
async function localAuthUrl(): Promise<string | undefined> {
  return (await readLocalClient(dataDirOf(process.env)))?.authUrl;
}
