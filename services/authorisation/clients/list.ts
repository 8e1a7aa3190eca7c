/** `clients list`: shows who may ask for tokens. */
import { Command } from "commander";
import { tableText } from "../output/table-text.ts";
import { type ListedClient, listClients } from "../store/list-clients.ts";
import type { WithPool } from "../store/with-pool.ts";

/** The command, for `main.ts`. */
export function listCommand(withPool: WithPool): Command {
  return new Command("list")
    .description("Lists the clients, oldest first.")
    .option("--json", "print a JSON array")
    .action(async (options: { json?: true }) => {
      const clients = await withPool(listClients);
      const text = options.json ? `${JSON.stringify(clients)}\n` : tableText(clients, columns);
      process.stdout.write(text);
    });
}

const columns: Record<string, (client: ListedClient) => string> = {
  "CLIENT ID": (client) => client.clientId,
  ORGANISATION: (client) => client.organisationId,
  APPLICATION: (client) => client.applicationId,
  ADDED: (client) => client.createdAt.toISOString().slice(0, 10),
  GRANTS: (client) => client.grantTypes.map((type) => type.replace(/^urn:.*:/, "")).join(" "),
  SCOPES: (client) => client.scopes.join(" "),
  NAME: (client) => client.name,
};
