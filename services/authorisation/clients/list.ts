/** `clients list`: shows who may ask for tokens. */
import { Command } from "commander";
import { type ListedClient, listClients } from "../store/list-clients.ts";
import type { WithPool } from "../store/with-pool.ts";

/** The command, for `main.ts`. */
export function listCommand(withPool: WithPool): Command {
  return new Command("list")
    .description("Lists the clients, oldest first.")
    .option("--json", "print a JSON array")
    .action(async (options: { json?: true }) => {
      const clients = await withPool(listClients);
      process.stdout.write(options.json ? `${JSON.stringify(clients)}\n` : table(clients));
    });
}

const columns: Record<string, (client: ListedClient) => string> = {
  "CLIENT ID": (client) => client.clientId,
  ORGANISATION: (client) => client.organisationId,
  APPLICATION: (client) => client.applicationId,
  ADDED: (client) => client.createdAt.toISOString().slice(0, 10),
  SCOPES: (client) => client.scopes.join(" "),
  NAME: (client) => client.name,
};

function table(clients: readonly ListedClient[]): string {
  const lines = [
    Object.keys(columns),
    ...clients.map((client) => Object.values(columns).map((column) => column(client))),
  ];
  const widths = Object.keys(columns).map((_, index) =>
    Math.max(...lines.map((line) => line[index]?.length ?? 0)),
  );
  return lines
    .map((line) => line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}
