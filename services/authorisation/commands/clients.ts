/** `clients`: manages the clients that may ask for tokens. */
import { generateClientSecret, hashClientSecret } from "../model/credentials.ts";
import { addClient, type ListedClient, listClients, removeClient } from "../store/clients.ts";
import { parseUuid } from "./arguments.ts";
import {
  addClientOptions,
  type ClientOptions,
  clientOf,
  contradictionOf,
} from "./client-options.ts";
import { type Columns, dayText, labelledLines, print, printRows } from "./output.ts";
import { readClientSecret } from "./read-secrets.ts";
import { runCommands, type WithPool } from "./run-commands.ts";

/** @param refuse ends the program: wrong usage. */
async function add(
  options: ClientOptions,
  withPool: WithPool,
  refuse: (message: string) => never,
): Promise<void> {
  const client = clientOf(options);
  const contradiction = contradictionOf(client, options);
  if (contradiction !== undefined) refuse(`error: ${contradiction}`);
  const file = options.clientSecretFile;
  const given = file === undefined ? undefined : await readClientSecret(file);
  const isPublic = options.public === true || client.isNative;
  const made = isPublic || given !== undefined ? undefined : generateClientSecret();
  const secret = given ?? made;
  const secretHash = secret === undefined ? null : await hashClientSecret(secret);
  await withPool((pool) => addClient(pool, { ...client, secretHash }));

  const text = () =>
    labelledLines([
      ["client id", client.clientId],
      ["client secret", made],
      ["organisation", client.organisationId],
      ["application", client.applicationId],
      ["name", client.name],
      ["scopes", client.scopes.join(" ")],
      ["redirect URIs", client.redirectUris.join(" ")],
    ]) + (made ? "Keep the secret now: it is not stored and cannot be shown again.\n" : "");
  print({ ...client, ...(made && { clientSecret: made }) }, text, options.json);
}

const columns: Columns<ListedClient> = {
  "CLIENT ID": (client) => client.clientId,
  ORGANISATION: (client) => client.organisationId,
  APPLICATION: (client) => client.applicationId,
  ADDED: (client) => dayText(client.createdAt),
  GRANTS: (client) => client.grantTypes.map((type) => type.replace(/^urn:.*:/, "")).join(" "),
  SCOPES: (client) => client.scopes.join(" "),
  NAME: (client) => client.name,
};

await runCommands(
  {
    name: "clients",
    description: "Adds, lists and removes the clients that may ask for access tokens.",
  },
  (program, withPool) => {
    const command = addClientOptions(program.command("add"));
    command
      .description("Registers a client and prints its id and, this once, its secret.")
      .action((options: ClientOptions) => add(options, withPool, (text) => command.error(text)));
    program
      .command("list")
      .description("Lists the clients, oldest first.")
      .option("--json", "print a JSON array")
      .action(async ({ json }: { json?: true }) => {
        printRows(await withPool(listClients), columns, json);
      });
    program
      .command("remove")
      .description("Removes a client. Tokens issued to it stay valid until they expire (one hour).")
      .argument("<id>", "the client's id", parseUuid)
      .action(async (clientId: string) => {
        if (!(await withPool((pool) => removeClient(pool, clientId)))) {
          throw new Error(`Cannot remove client ${clientId}: there is no such client`);
        }
        process.stdout.write(`removed client ${clientId}\n`);
      });
  },
);
