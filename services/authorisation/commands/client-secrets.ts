/** `clients secrets`: adds, lists and removes the secrets of a client. */
import { printText } from "@stowage/process";
import type { Command } from "commander";
import type pg from "pg";
import { generateClientSecret, hashClientSecret } from "../model/credentials.ts";
import { keyedHash } from "../model/keyed-hash.ts";
import {
  addSecret,
  type ListedSecret,
  listSecrets,
  removeSecret,
} from "../store/client-secrets.ts";
import { clientSecretKey } from "../store/server-keys.ts";
import { parseUuid } from "./arguments.ts";
import { type Columns, labelledLines, print, printRows, timeText } from "./output.ts";
import { readClientSecret } from "./read-secrets.ts";
import type { WithPool } from "./run-commands.ts";

/** A secret before it is stored. */
interface NewSecret {
  secret: string;
  /** Whether a person chose it. Otherwise it is printed once. */
  isChosen: boolean;
}

/** Reads a secret from a file, or generates one. */
export async function newSecret(file: string | undefined): Promise<NewSecret> {
  if (file === undefined) return { secret: generateClientSecret(), isChosen: false };
  return { secret: await readClientSecret(file), isChosen: true };
}

/** Hashes a secret: slowly if a person chose it, and could have chosen badly. */
export async function hashForStorage(
  pool: pg.Pool,
  { secret, isChosen }: NewSecret,
): Promise<string> {
  if (isChosen) return await hashClientSecret(secret);
  return keyedHash(secret, await clientSecretKey(pool));
}

/** What is printed below a secret that was generated. */
export const keepIt = "Keep the secret now: it is not stored and cannot be shown again.\n";

const help = `
To change the secret of a client without interruption: add a second one, give it to the program, and
then remove the first. Both are valid in the meantime. The first line of "list" is the older one.`;

/** Defines the subcommands. */
export function defineSecrets(program: Command, withPool: WithPool): void {
  const command = program
    .command("secrets")
    .description("Adds, lists and removes the secrets of a client: two at most.")
    .addHelpText("after", help);
  const client = ["<client id>", "the client's ID", parseUuid] as const;

  command
    .command("add")
    .description(
      "Adds a second secret, and prints its ID and the secret, which is shown only once.",
    )
    .argument(...client)
    .option("--client-secret-file <file>", "file that contains it (default: a new secret)")
    .option("--json", "print one JSON object")
    .action((clientId: string, options: AddOptions) => add(clientId, options, withPool));
  command
    .command("list")
    .description("Lists the secrets, oldest first, without their values.")
    .argument(...client)
    .option("--json", "print a JSON array")
    .action(async (clientId: string, { json }: { json?: true }) => {
      printRows(await withPool((pool) => listSecrets(pool, clientId)), columns, {
        json,
        none: "secrets; add one with: stowage clients secrets add",
      });
    });
  command
    .command("remove")
    .description("Removes a secret. Tokens issued for it stay valid until they expire.")
    .argument(...client)
    .argument("<secret id>", "the ID of the secret", parseUuid)
    .action(async (clientId: string, secretId: string) => {
      if (!(await withPool((pool) => removeSecret(pool, clientId, secretId)))) {
        throw new Error(`Cannot remove secret ${secretId}: client ${clientId} has no such secret`);
      }
      printText(`removed secret ${secretId}\n`);
    });
}

interface AddOptions {
  clientSecretFile?: string;
  json?: true;
}

async function add(
  clientId: string,
  { clientSecretFile, json }: AddOptions,
  withPool: WithPool,
): Promise<void> {
  const made = await newSecret(clientSecretFile);
  const secretId = await withPool(async (pool) =>
    addSecret(pool, clientId, await hashForStorage(pool, made)),
  );
  const shown = made.isChosen ? undefined : made.secret;
  const text = () =>
    labelledLines([
      ["secret id", secretId],
      ["client secret", shown],
    ]) + (shown ? keepIt : "");
  print({ secretId, ...(shown && { clientSecret: shown }) }, text, json);
}

const columns: Columns<ListedSecret> = {
  "SECRET ID": (secret) => secret.secretId,
  ADDED: (secret) => timeText(secret.createdAt.getTime()),
  KIND: (secret) => (secret.isChosen ? "from a file" : "generated"),
};
