/** `clients`: manages the clients that may ask for tokens. */
import { readFile } from "node:fs/promises";
import { printText } from "@stowage/process";
import { readPublicKey } from "../model/client-keys.ts";
import { addClient, type ListedClient, listClients, removeClient } from "../store/clients.ts";
import { parseUuid } from "./arguments.ts";
import {
  addClientOptions,
  type ClientOptions,
  clientOf,
  contradictionOf,
} from "./client-options.ts";
import { defineSecrets, hashForStorage, keepIt, newSecret } from "./client-secrets.ts";
import { defineDisabling } from "./disable-commands.ts";
import { type Columns, dayText, labelledLines, print, printRows, stateText } from "./output.ts";
import { runCommands, type WithPool } from "./run-commands.ts";
import { defineUpdate } from "./update-client.ts";

/** @param refuse ends the program: wrong usage. */
async function add(
  options: ClientOptions,
  withPool: WithPool,
  refuse: (message: string) => never,
): Promise<void> {
  const file = options.publicKeyFile;
  const publicKeyPem = file === undefined ? null : await readKey(file);
  const client = { ...clientOf(options), publicKeyPem };
  const contradiction = contradictionOf(client, options);
  if (contradiction !== undefined) refuse(`error: ${contradiction}`);
  const hasSecret = options.public !== true && !client.isNative && publicKeyPem === null;
  const made = !hasSecret ? undefined : await newSecret(options.clientSecretFile);
  await withPool(async (pool) =>
    addClient(pool, client, made && (await hashForStorage(pool, made))),
  );

  const shown = made?.isChosen === false ? made.secret : undefined;
  const text = () =>
    labelledLines([
      ["client id", client.clientId],
      ["client secret", shown],
      ["organisation", client.organisationId],
      ["application", client.applicationId],
      ["name", client.name],
      ["scopes", client.scopes.join(" ")],
      ["redirect URIs", client.redirectUris.join(" ")],
      ["first party", client.isFirstParty ? "yes" : undefined],
      ["people of", client.isForAnyOrganisation ? "any organisation" : undefined],
    ]) + (shown ? keepIt : "");
  print({ ...client, ...(shown && { clientSecret: shown }) }, text, options.json);
}

async function readKey(file: string): Promise<string> {
  const pem = await readFile(file, "utf8").catch((cause: Error) => {
    throw new Error(`Cannot read the public key from ${file}`, { cause });
  });
  try {
    return readPublicKey(pem).export({ type: "spki", format: "pem" }).toString();
  } catch (cause) {
    throw new Error(`Cannot use the public key in ${file}`, { cause });
  }
}

const columns: Columns<ListedClient> = {
  "CLIENT ID": (client) => client.clientId,
  ORGANISATION: (client) => client.organisationId,
  APPLICATION: (client) => client.applicationId,
  ADDED: (client) => dayText(client.createdAt),
  STATE: stateText,
  GRANTS: (client) => client.grantTypes.map((type) => type.replace(/^urn:.*:/, "")).join(" "),
  SCOPES: (client) => client.scopes.join(" "),
  NAME: (client) => client.name,
};

await runCommands(
  {
    name: "clients",
    description: "Manages the clients that may request access tokens.",
    examples: ['stowage clients add --organisation acme --name "nightly report"'],
  },
  (program, withPool) => {
    const command = addClientOptions(program.command("add"));
    command
      .description(
        "Registers a client, and prints its ID and its secret, which is shown only once.",
      )
      .action((options: ClientOptions) => add(options, withPool, (text) => command.error(text)));
    program
      .command("list")
      .description("Lists the clients, oldest first.")
      .option("--json", "print a JSON array")
      .action(async ({ json }: { json?: true }) => {
        printRows(await withPool(listClients), columns, {
          json,
          none: "clients; add one with: stowage clients add",
        });
      });
    defineUpdate(program.command("update"), withPool);
    defineSecrets(program, withPool);
    defineDisabling(program, withPool, "client", ["<id>", "the client's ID", parseUuid]);
    program
      .command("remove")
      .description("Removes a client. Tokens issued to it stay valid until they expire.")
      .argument("<id>", "the client's ID", parseUuid)
      .action(async (clientId: string) => {
        if (!(await withPool((pool) => removeClient(pool, clientId)))) {
          throw new Error(`Cannot remove client ${clientId}: there is no such client`);
        }
        printText(`removed client ${clientId}\n`);
      });
  },
);
